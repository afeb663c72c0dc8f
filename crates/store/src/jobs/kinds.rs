//! The kinds of jobs. Each holds only ids; the data is read when the job runs.

use reflect_types::{ProjectId, ReviewId, TraceId};
use serde::{Deserialize, Serialize};

use crate::ids::ErasureId;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($job:ident) = $identifier:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    })+) => {
        /// Something that is done later.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Job { $($(#[$doc])* $kind($job)),+ }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
            pub struct $job {
                /// Its project.
                pub project_id: i32,
                $($(#[$field_doc])* pub $field: $type),*
            }

            impl $job {
                /// The name of this kind in the queue.
                pub(super) const NAME: &'static str = $identifier;

                /// The project, as the store names it.
                pub const fn project(self) -> ProjectId {
                    ProjectId::new(self.project_id)
                }
            }
        )+
    };
}

kinds! {
    /// A review waits to be learned from.
    Learn(LearnJob) = "learn" {
        /// The review.
        review_id: ReviewId,
    }
    /// Memories of the project have no vector yet.
    Index(IndexJob) = "place" {}
    /// A run waits to be judged.
    Judge(JudgeJob) = "judge" {
        /// The run.
        trace_id: TraceId,
        /// How many attempts failed.
        #[serde(default)]
        failures: i16,
    }
    /// An embedding migration has work left: memories to embed, or vectors to remove.
    Reembed(ReembedJob) = "reembed" {}
    /// A run or a subject must be erased.
    Erase(EraseJob) = "erase" {
        /// The erasure.
        erasure_id: ErasureId,
    }
}
