//! The kinds of jobs. Each holds only ids; the data is read when the job runs.

use reflect_types::{ProjectId, ReviewId, SignalId, TraceId};
use uuid::Uuid;

use crate::ids::{ErasureId, OtlpId};

/// The kind of a job. The code is stored; a tenth of it is the urgency, and lower numbers come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobKind {
    Learn,
    Index,
    Erase,
    Resolve,
    Match,
    Assemble,
    Judge,
    Reembed,
}

impl JobKind {
    pub(crate) const fn code(self) -> i16 {
        match self {
            Self::Learn => 0,
            Self::Index => 1,
            Self::Erase => 2,
            Self::Resolve => 3,
            Self::Match => 4,
            Self::Assemble => 5,
            Self::Judge => 10,
            Self::Reembed => 20,
        }
    }

    const fn from_code(code: i16) -> Option<Self> {
        match code {
            0 => Some(Self::Learn),
            1 => Some(Self::Index),
            2 => Some(Self::Erase),
            3 => Some(Self::Resolve),
            4 => Some(Self::Match),
            5 => Some(Self::Assemble),
            10 => Some(Self::Judge),
            20 => Some(Self::Reembed),
            _ => None,
        }
    }
}

/// A minute in which signals were received: one job looks at all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SignalMinute(Uuid);

/// The bits of an id of version 7 below its milliseconds.
const BELOW_TIME: u32 = 80;
const MINUTE: u128 = 60_000;

impl SignalMinute {
    /// The minute of a signal.
    pub const fn of(signal: SignalId) -> Self {
        let milliseconds = signal.as_uuid().as_u128() >> BELOW_TIME;
        Self(Uuid::from_u128((milliseconds - milliseconds % MINUTE) << BELOW_TIME))
    }

    /// No id of the minute is smaller.
    pub const fn first(self) -> Uuid {
        self.0
    }

    /// All ids of the minute are smaller.
    pub const fn end(self) -> Uuid {
        Uuid::from_u128(self.0.as_u128().saturating_add(MINUTE << BELOW_TIME))
    }
}

macro_rules! jobs {
    ($($(#[$doc:meta])* $kind:ident($job:ident) {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    })+) => {
        /// Something that is done later.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Job { $($(#[$doc])* $kind($job)),+ }

        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        )+
    };
}

jobs! {
    /// A review waits to be learned from.
    Learn(LearnJob) {
        /// The review.
        review_id: ReviewId,
    }
    /// Memories of the project have no vector yet.
    Index(IndexJob) {}
    /// The signals about a run have to be looked at.
    Resolve(ResolveJob) {
        /// The run.
        trace_id: TraceId,
    }
    /// Signals were stored without their runs, which may have been stored at the same time.
    Match(MatchJob) {
        /// The minute of the signals.
        minute: SignalMinute,
    }
    /// A run waits to be judged.
    Judge(JudgeJob) {
        /// The run.
        trace_id: TraceId,
        /// How many attempts failed.
        failures: i16,
    }
    /// An embedding migration has work left: memories to embed, or vectors to remove.
    Reembed(ReembedJob) {}
    /// A run or a subject must be erased.
    Erase(EraseJob) {
        /// The erasure.
        erasure_id: ErasureId,
    }
    /// A run that arrived as spans may have ended.
    Assemble(AssembleJob) {
        /// The run.
        otlp_id: OtlpId,
    }
}

impl Job {
    /// The job with these stored values. `None` if it is of a newer version.
    pub(super) const fn of(project_id: i32, kind: i16, subject: Uuid, failures: i16) -> Option<Self> {
        let Some(kind) = JobKind::from_code(kind) else { return None };
        Some(match kind {
            JobKind::Learn => Self::Learn(LearnJob { project_id, review_id: ReviewId::from_uuid(subject) }),
            JobKind::Index => Self::Index(IndexJob { project_id }),
            JobKind::Erase => Self::Erase(EraseJob { project_id, erasure_id: subject }),
            JobKind::Resolve => {
                Self::Resolve(ResolveJob { project_id, trace_id: TraceId::from_uuid(subject) })
            }
            JobKind::Match => Self::Match(MatchJob { project_id, minute: SignalMinute(subject) }),
            JobKind::Assemble => Self::Assemble(AssembleJob { project_id, otlp_id: subject }),
            JobKind::Judge => {
                Self::Judge(JudgeJob { project_id, trace_id: TraceId::from_uuid(subject), failures })
            }
            JobKind::Reembed => Self::Reembed(ReembedJob { project_id }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_one_minute_have_one_job() {
        let at = |milliseconds: u128| SignalId::from_uuid(Uuid::from_u128(milliseconds << 80 | 0x7fff));
        let minute = SignalMinute::of(at(1_800_000_000_000));
        assert_eq!(SignalMinute::of(at(1_800_000_059_999)), minute);
        assert!(
            at(1_800_000_059_999).as_uuid() < minute.end()
                && minute.first() < at(1_800_000_000_000).as_uuid()
        );
        assert_eq!(SignalMinute::of(at(1_800_000_060_000)).first(), minute.end());
    }

    #[test]
    fn stored_values_become_the_job_again() {
        let subject = Uuid::now_v7();
        let kinds = [
            JobKind::Learn,
            JobKind::Index,
            JobKind::Erase,
            JobKind::Resolve,
            JobKind::Match,
            JobKind::Assemble,
            JobKind::Judge,
            JobKind::Reembed,
        ];
        for kind in kinds {
            assert_eq!(JobKind::from_code(kind.code()), Some(kind));
            assert!(Job::of(7, kind.code(), subject, 2).is_some(), "{kind:?}");
        }
        let judge = JudgeJob { project_id: 7, trace_id: TraceId::from_uuid(subject), failures: 2 };
        assert_eq!(Job::of(7, 10, subject, 2), Some(Job::Judge(judge)));
        assert_eq!(Job::of(7, 19, subject, 2), None);
    }
}
