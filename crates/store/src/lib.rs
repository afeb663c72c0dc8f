//! All of Reflect's SQL, and the transactions it runs in.
//!
//! Rows of a project are reached through [`ProjectCtx`] alone: it opens every transaction, names the
//! project to row-level security, and is the only place that hands out a connection. Nothing here
//! knows HTTP, models or how anything is decided.

mod actions;
mod audit;
mod body;
mod bootstrap;
mod bulk_reviews;
mod care;
mod catalogue;
mod connect;
mod erasure;
mod error;
#[cfg(feature = "faults")]
mod faults;
mod health;
mod idempotency;
mod jobs;
mod judgements;
mod keys;
mod learning;
mod maintenance;
mod members;
mod memories;
mod migrate;
mod moving;
mod news;
mod overview;
mod project_ctx;
mod projects;
mod requirements;
mod retention;
mod review_queue;
mod reviews;
mod sessions;
mod skills;
mod space_changes;
mod spaces;
mod store;
mod traces;
mod uplift;
mod utility;

pub use actions::{ActionId, ActionRow};
pub use audit::{Actor, AuditRow};
pub use body::{Body, BodyError};
pub use bootstrap::NewInstallation;
pub use bulk_reviews::{BulkChunk, UnreviewedRun};
pub use care::{
    Care, CareNote, Cared, Change, Decide, History, HistoryStep, MemoryDetail, MemorySelection, MemorySort,
    MemoryState, NearMemory, NewText, Presence, Provenance, ReviewNote, StoredMemory, TextFields, UseRow,
    VersionRow,
};
pub use catalogue::FoundKey;
pub use connect::Fault;
pub use erasure::{Erased, ErasureId, ErasureRow, ErasureTarget, NewErasure};
pub use error::StoreError;
pub use health::{
    ClientFacts, DuplicateFacts, JudgeFacts, LinkFacts, LoopFacts, MemoryFacts, MostServed, NewClientReport,
    RetrievalFacts, ReviewFacts, RipeRuns,
};
pub use idempotency::{Claim, Replay};
pub use jobs::{EraseJob, Job, JudgeJob, LearnJob, PlaceJob, ReembedJob, WorkSettings};
pub use judgements::{JudgeCandidate, JudgeIdentity, JudgePairs, JudgeWeek, JudgementRow, NewJudgement};
pub use keys::{KeyRow, NewKey};
pub use learning::{Cost, LearnInput, NewMemory, ShownMemory};
pub use maintenance::{PartitionWork, Upkeep};
pub use members::{MemberRow, NewMember, ProjectRow, SignInFacts};
pub use memories::{
    AskedTask, Candidate, Lesson, MemoryFilter, MemoryRow, Receipt, ReceiptLine, ReceiptRow, Search, Unplaced,
};
pub use migrate::{MigrationSettings, migrations_digest};
pub use moving::{
    FoldedMemory, ImportMark, LEFT_BEHIND, MOVED_TABLES, MovedProject, MovedRow, Snapshot, SpaceNumbers,
    Stands,
};
pub use news::NewsListener;
pub use overview::{
    ArrivalCounts, DayRow, FailureRow, NewestMemory, OverviewFacts, PendingCount, StageCounts,
};
pub use project_ctx::{ProjectCtx, SearchBy};
pub use requirements::{Requirement, ServerFacts};
pub use review_queue::{
    Deferral, Judged, Lease, LinkedMemory, MemoryStanding, NewDeferral, QueueCounts, QueueFilter, Reach,
    Usual, Waiting, WaitingRun,
};
pub use reviews::{BY_JUDGE, NewReview, ReviewChange, ReviewRow, Standing, VoteBounds};
pub use sessions::{FoundSession, NewSession, SessionRow};
pub use skills::{NewSkill, SkillRow};
pub use space_changes::SpaceChange;
pub use spaces::{ProjectFacts, SpaceId, SpaceName, SpaceRow, TagKeyBytes};
pub use store::{Store, StoreSettings};
pub use traces::{
    Linked, NewTrace, Recorded, Served, TraceFilter, TraceLinePage, TraceLineRow, TracePage, TraceRow,
};
pub use uplift::ArmCount;
pub use utility::Share;
