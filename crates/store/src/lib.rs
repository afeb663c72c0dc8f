//! All SQL of Reflect, and the transactions it runs in.
//!
//! [`Store`] and [`ProjectCtx`] hand out one small store per subject, such as `project.traces()`. All of them open their
//! transactions through one type, which sets the project for row-level security. This crate knows neither HTTP nor
//! models; decisions are pure functions of `reflect-rules`.

mod actions;
mod admin;
mod audit;
mod audit_chain;
mod catalogue;
mod codes;
mod commit_warnings;
mod connect;
mod curation;
mod data_keys;
mod db;
mod encryption;
mod erasures;
mod error;
#[cfg(debug_assertions)]
mod faults;
mod graphs;
mod hex;
mod idempotency;
mod identities;
mod ids;
mod indexes;
mod insights;
mod job_signal;
mod jobs;
mod judgements;
mod keys;
mod layout;
mod learning;
mod ledger;
mod lessons;
mod maintenance;
mod member_roles;
mod members;
mod memories;
mod memory_changes;
mod migrate;
mod moving;
mod notifications;
mod outbox;
mod partitions;
mod point_plans;
mod receipt_queue;
mod receipts;
mod replica;
mod requirements;
mod review_queue;
mod reviews;
mod schema_session;
mod sealing;
mod search_turns;
mod server_facts;
mod sessions;
mod signals;
mod skills;
mod spaces;
mod store;
mod tables;
mod traces;
mod transaction;
mod webhooks;

pub use actions::ActionRow;
pub use admin::AdminStore;
pub use audit::{AuditActor, AuditRow, RequestOrigin};
pub use audit_chain::{AuditChainStore, ChainEnd, ChainLength, ChainLink, SignedHead};
pub use catalogue::{
    CatalogueStore, FeedbackSecret, FoundKey, NewInstallation, ProjectFacts, ProjectRow, SpaceName, SpaceRow,
    TagKeyBytes,
};
pub use connect::StoreFault;
pub use curation::{Curated, CurationRequest, CurationStore, Decide, ImportedItem};
pub use db::SearchBy;
pub use erasures::{Erased, ErasureRow, ErasureStore, ErasureTarget, NewErasure};
pub use error::StoreError;
pub use graphs::{GraphLead, GraphStore, VectorEstimate, VectorGraph, VectorScans};
pub use idempotency::{Claim, Replay};
pub use identities::{IdentityKey, IdentitySignIn, IdentityStore};
pub use ids::{ActionId, DeliveryId, ErasureId, EventId, OtlpId, SpaceId, WebhookId};
pub use indexes::ConcurrentIndex;
pub use insights::{
    ArmCount, ArrivalCounts, ClientFacts, DayRow, DuplicateFacts, FailureRow, HelpfulMemory, InsightStore,
    JudgeFacts, KeyFacts, LinkFacts, LoopFacts, MemoryFacts, MostServed, NewClientReport, NewestMemory,
    OverviewFacts, PendingCount, RetrievalFacts, ReviewFacts, RipeRuns, StageCounts,
};
pub use jobs::{
    AssembleJob, EraseJob, IndexJob, Job, JobStore, JudgeJob, LearnJob, MatchJob, ReembedJob, ResolveJob,
    SignalMinute, WorkSettings,
};
pub use judgements::{
    JudgeCandidate, JudgeIdentity, JudgeWeekCounts, JudgementRow, JudgementStore, NewJudgement,
};
pub use keys::{KeyRow, KeyStore, NewKey};
pub use learning::{LearnInput, LearningStore, ModelCost, ShownMemory};
pub use lessons::{
    AnsweredQuestion, GroupedMemory, GroupingProgress, GroupingStore, LESSON_JOIN, LESSON_MIGRATE,
    LearningStatistics, LessonCounts, LessonPlan, LessonRow, LessonStore, NearRow, NewMemoryRow,
    PossibleContradiction, QuestionRow, QuestionSide, QuestionStore, ReplayStep, UngroupedRow,
};
pub use maintenance::{
    MaintainedProject, MaintenanceLeader, MaintenanceReport, MaintenanceStep, MaintenanceSteps,
    MaintenanceStore, StepProgress, StepState, stray_rows,
};
pub use member_roles::MemberRow;
pub use members::{DisabledMember, MemberStore, NewMember, SignInFacts};
pub use memories::{
    CurationNote, FullMemoryRow, MemoryCandidate, MemoryDetailRow, MemoryFilter, MemoryHistoryStep,
    MemoryOrder, MemoryRow, MemorySelector, MemoryStore, MemoryTimeline, NearMemory, Provenance,
    RetrievalSearch, ReviewNote, ReviewedNeighbour, Search, UnindexedMemory, UseRow, VersionRow,
};
pub use memory_changes::{MemoryChange, MemoryState, NewText, Presence, TextFields};
pub use migrate::{MigrationSettings, migrations_digest};
pub use moving::{
    FoldedMemory, ImportMark, ImportStore, MoveStore, MovedProject, MovedRow, Snapshot, SpaceNumbers,
    StandingValues,
};
pub use notifications::{NotificationListener, NotificationStore};
pub use outbox::NewEvent;
pub use partitions::PartitionWork;
pub use receipt_queue::{Receipt, ReceiptRefusal};
pub use receipts::{ReceiptLine, ReceiptRow, ReceiptStore, RecentTask, RetrievalPeriod, ServedReceipt};
pub use reflect_rules::agreement::VerdictPairs;
pub use reflect_rules::credit::Share;
pub use reflect_rules::votes::{UntrustedVote, VoteBounds};
pub use replica::ReplicaSettings;
pub use requirements::Requirement;
pub use review_queue::{
    Deferral, Judged, Lease, LinkedMemory, MemoryStanding, NewDeferral, QueueCounts, QueueFilter, QueueStore,
    Reach, TypicalRun, WaitingRun, WaitingRuns,
};
pub use reviews::{BulkChunk, NewReview, ReviewBasis, ReviewChange, ReviewRow, ReviewStore, UnreviewedRun};
pub use sealing::{EncryptionKeyError, EncryptionKeys, SealError};
pub use server_facts::ServerFacts;
pub use sessions::{FoundSession, NewSession, SessionRow, SessionStore};
pub use signals::{
    NewSignal, NewVote, ReceivedSignal, SignalOnce, SignalRow, SignalSender, SignalState, SignalStore,
    SignalSubject, SignalWait, SignalledReview, SignalledRun, SourceWeek,
};
pub use skills::{MemoryLesson, NewSkill, SkillRow, SkillStore};
pub use spaces::{EmbeddingMigration, SpaceStore};
pub use store::{ProjectCtx, Store, StoreSettings};
pub use tables::{Grant, LEFT_BEHIND, MOVED_TABLES, Moves, Purge, TABLES, Table, Tenant};
pub use traces::{
    Body, BodyError, ClosedRun, InferLink, Linked, NewSpan, NewTraceRow, RecordedTrace, RunEnd, SpanPolicy,
    SpanRun, SpanSender, SpanStore, StagedSpans, TraceListFilter, TraceListPage, TraceListRow, TracePage,
    TraceRow, TraceStore,
};
pub use webhooks::{
    About, AnnouncementStore, AttemptOutcome, DeliveryAttempt, DeliveryLog, DeliveryRow, DueDelivery,
    DueWebhook, Failures, FinishedAttempt, NewWebhook, RoundOutcome, SendingStore, SentEvent, WebhookChange,
    WebhookQueue, WebhookRow, WebhookStore, WebhookTarget,
};
