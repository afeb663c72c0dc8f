//! The bodies of the HTTP contract, shared by the server and the Rust client.
//!
//! Only shapes live here: what a field means is decided elsewhere. Requests ignore fields they do
//! not know and treat null as absent, because clients of several ages are in use.

mod bulk_reviews;
mod care;
mod console;
mod diagnosis;
mod embedding;
mod erasures;
mod error;
mod judge;
mod keys;
mod learning;
mod memories;
mod overview;
mod projects;
mod review_queue;
mod reviews;
mod skills;
mod steps;
mod system;
mod traces;

pub use bulk_reviews::{BulkReviewed, ReviewInBulk};
pub use care::{
    Action, BulkAnswer, BulkCare, CareAnswer, CareVerb, EditMemory, EraseMemory, HistoryCare, HistoryReview,
    HistoryStep, ListMemories, MemoryDetail, MemoryHistory, MemoryNeighbour, MemoryProvenance,
    MemorySelection, MemorySort, MemoryUse, MemoryVersion, MergeMemories, StoredMemory, WriteMemory,
};
pub use console::{
    ConsoleProject, ConsoleSession, CreateMember, CreateProject, CreatedMember, Member, Session,
    SessionTimes, SignInLink, SignedInMember, UnsafeRequests,
};
pub use diagnosis::{Diagnosis, EmbedderState, TextModelState};
pub use embedding::{
    ChangedQuestion, CompareEmbeddings, EmbeddingChange, EmbeddingComparison, EmbeddingSpace, EmbeddingStep,
    ServedBySpace, SwitchEmbedding,
};
pub use erasures::{CreateErasure, ErasedMemories, Erasure, ErasureState};
pub use error::{ErrorBody, ErrorDetail};
pub use judge::{
    ChangeJudge, JudgeAgreement, JudgeState, JudgeStatus, JudgeVerdict, JudgeWeek, ProjectJudge, TriedJudge,
    TryJudge,
};
pub use keys::{ApiKey, Bootstrap, Bootstrapped, CreateApiKey, CreatedApiKey};
pub use learning::{
    HealthCheck, HealthLevel, LoopHealth, ReportClient, Uplift, UpliftArm, UpliftDifference, UpliftQuery,
};
pub use memories::{AugmentTask, AugmentedTask, ConsideredMemory, Memory, QueryMemories, Retrieval};
pub use overview::{
    DayCount, LearningFailure, NewMemory, Overview, PendingRun, ReflectionCounts, ReviewCounts, TraceCounts,
    UseCounts,
};
pub use projects::{ChangeProject, DeletedProject, Project};
pub use review_queue::{
    ChangeLeases, DeferTrace, DeferredTrace, DigestMemory, DigestStep, DigestSteps, HeldLeases, NextReviews,
    QueueLease, QueueOrder, QueueReason, QueuedTrace, QueuedTraces, ReviewQueue, RunFilter, RunSignal,
    TraceDigest,
};
pub use reviews::{
    AuthoredReflection, InlineReview, Review, ReviewItem, ReviewOfTrace, ReviewTrace, ReviewTraces,
    ReviewsAnswer,
};
pub use skills::{CreateSkill, Skill};
pub use steps::{ChangeEvent, Part, PartForm, PartText, Step, StepKind, TraceLine, TraceSteps};
pub use system::{Health, Readiness};
pub use traces::{
    BatchAnswer, BatchItem, CreateTrace, CreateTraces, DeleteTraces, DeletedTraces, Trace, TraceSubmission,
    TrajectoryInput,
};
