//! The words that every part of Reflect shares: ids, outcomes, bounded numbers, scopes and
//! trajectories. Values that exist are valid; there is no I/O here.

mod credit;
mod ids;
mod json_depth;
mod member;
mod outcome;
mod privacy;
mod project;
mod scope;
mod score;
mod space;
mod trajectory;
mod trust;

pub use credit::Credit;
pub use ids::{ClientIdError, KeyId, MemberId, MemoryId, RetrievalId, ReviewId, SessionId, TraceId};
pub use json_depth::{MAX_DEPTH, json_depth};
pub use member::{InvalidMemberName, MemberName, MemberRole};
pub use outcome::{
    Arm, Fate, IngestStatus, Link, MemoryOrigin, MemoryStatus, Ranking, ReviewMode, ReviewResult,
    ReviewStatus, UnknownWord,
};
pub use privacy::{ChangeRedaction, PiiMode, RedactionSettings, RetentionSettings};
pub use project::{InvalidSlug, ProjectId, ProjectSlug};
pub use scope::{Environment, Scope, Trust};
pub use score::{Alpha, OutOfRange, Utility};
pub use space::{EmbeddedText, SpaceChangeState};
pub use trajectory::{MAX_MESSAGES, Trajectory, TrajectoryError};
pub use trust::{SAME_TASK, Said, Source, VOUCHERS, independent, says_the_same};
