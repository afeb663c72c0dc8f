//! All of Reflect's SQL, and the transactions it runs in.
//!
//! Rows of a project are reached through [`ProjectCtx`] alone: it opens every transaction, names the
//! project to row-level security, and is the only place that hands out a connection. Nothing here
//! knows HTTP, models or how anything is decided.

mod actions;
mod audit;
mod body;
mod bootstrap;
mod catalogue;
mod connect;
mod error;
#[cfg(feature = "faults")]
mod faults;
mod health;
mod idempotency;
mod jobs;
mod keys;
mod learning;
mod maintenance;
mod members;
mod memories;
mod migrate;
mod news;
mod overview;
mod project_ctx;
mod projects;
mod requirements;
mod reviews;
mod sessions;
mod skills;
mod spaces;
mod store;
mod traces;
mod uplift;
mod utility;

pub use actions::{ActionId, ActionRow};
pub use audit::{Actor, AuditRow};
pub use body::{Body, BodyError};
pub use bootstrap::NewInstallation;
pub use catalogue::FoundKey;
pub use connect::Fault;
pub use error::StoreError;
pub use health::{
    ClientFacts, DuplicateFacts, JudgeFacts, LinkFacts, LoopFacts, MemoryFacts, MostServed, NewClientReport,
    RetrievalFacts, ReviewFacts, RipeRuns,
};
pub use idempotency::{Claim, Replay};
pub use jobs::{Job, LearnJob, WorkSettings};
pub use keys::{KeyRow, NewKey};
pub use learning::{Cost, LearnInput, NewMemory, ShownMemory};
pub use maintenance::{PartitionWork, Upkeep};
pub use members::{MemberRow, NewMember, ProjectRow, SignInFacts};
pub use memories::{Candidate, Lesson, MemoryFilter, MemoryRow, Receipt, ReceiptLine, ReceiptRow, Search};
pub use migrate::{MigrationSettings, migrations_digest};
pub use news::NewsListener;
pub use overview::{
    ArrivalCounts, DayRow, FailureRow, NewestMemory, OverviewFacts, PendingCount, StageCounts,
};
pub use project_ctx::{ProjectCtx, SearchBy};
pub use requirements::{Requirement, ServerFacts};
pub use reviews::{NewReview, ReviewChange, ReviewRow};
pub use sessions::{FoundSession, NewSession, SessionRow};
pub use skills::{NewSkill, SkillRow};
pub use spaces::{ProjectFacts, Space, SpaceId, SpaceName};
pub use store::{Store, StoreSettings};
pub use traces::{
    Linked, NewTrace, Recorded, Served, TraceFilter, TraceLinePage, TraceLineRow, TracePage, TraceRow,
};
pub use uplift::ArmCount;
