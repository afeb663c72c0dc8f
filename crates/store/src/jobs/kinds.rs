//! The kinds of jobs. Each holds ids and nothing else; what they stand for is read when it is done.

use graphile_worker::{IntoTaskHandlerResult, TaskHandler, WorkerContext};
use reflect_types::{ProjectId, ReviewId, TraceId};
use serde::{Deserialize, Serialize};

use super::worker::handle;
use crate::erasure::ErasureId;

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
                /// The project, as the store names it.
                pub const fn project(self) -> ProjectId {
                    ProjectId::new(self.project_id)
                }
            }

            impl TaskHandler for $job {
                const IDENTIFIER: &'static str = $identifier;

                async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
                    handle(&context, Job::$kind(self)).await
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
    /// Memories of the project wait for their vectors.
    Place(PlaceJob) = "place" {}
    /// A run waits to be judged.
    Judge(JudgeJob) = "judge" {
        /// The run.
        trace_id: TraceId,
        /// How often it was tried in vain.
        #[serde(default)]
        failures: i16,
    }
    /// A change of space has work left: memories to embed, or vectors to remove.
    Reembed(ReembedJob) = "reembed" {}
    /// What is known about a run or a subject is to be removed.
    Erase(EraseJob) = "erase" {
        /// The erasure that was asked for.
        erasure_id: ErasureId,
    }
}
