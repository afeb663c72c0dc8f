//! The decisions of Reflect. Every change goes through a service of [`Engine`]; plain reads go to the store directly.
//!
//! The engine knows nothing of HTTP, SQL or the environment. Rules are pure functions. A service fetches what a rule
//! needs and passes the result to the store. Services do not import each other: what two of them need is a part of its
//! own, which the constructor injects.

mod access;
mod action_undo;
mod actions;
mod address_ranges;
mod agreement;
mod audit;
mod auth_cache;
mod budget;
mod caller;
mod client_text;
mod completion;
mod credentials;
pub mod credit;
mod curation;
mod curation_parts;
mod embedding_spaces;
mod engine;
mod erasures;
mod error;
mod events;
mod feedback_tokens;
#[cfg(test)]
mod fuzz;
pub mod health;
mod health_watch;
mod hex;
mod insights;
mod intake;
mod judge;
mod judge_profile;
mod judge_settings;
mod key_lifetime;
mod key_request;
mod key_text;
mod keys;
mod learn;
mod learning_settings;
mod lesson_bank;
mod lessons;
mod loop_health;
mod maintenance;
mod members;
mod memory_indexer;
mod memory_list;
mod models;
pub mod moving;
mod one_line;
mod operations;
mod otlp;
mod project_cache;
mod projects;
mod provider_sign_in;
pub mod rank;
mod reachable_projects;
mod retriever;
pub mod review_queue;
mod reviewer;
mod reviews;
mod role;
mod run_keys;
mod run_sample;
mod sessions;
mod sign_in_error;
mod signal_settings;
mod signals;
mod skills;
mod started_session;
pub mod steps;
mod story;
mod trace_list;
mod trace_waiters;
pub mod uplift;
mod vector_graphs;
mod votes;
mod webhooks;
mod worker;

pub use reflect_model::{ModelError, Remedy};
pub use reflect_rules::signals::SignalStanding;
pub use reflect_types::MemberAccess;

pub use access::Access;
pub use actions::Actions;
pub use agreement::Agreement;
pub use audit::{
    AuditKey, AuditKeyError, AuditLog, AuditPublicKey, ChainProblem, ChainReport, DenialKind, DenialLog,
    MalformedHead, SignedThrough, VerificationSettings, find_heads, head_text,
};
pub use caller::{AuthError, KeyHolder, KeyLimits, MemberHolder, Visitor};
pub use completion::CompletionWaiters;
pub use curation::{
    BulkCuration, BulkCurationOutcome, Curation, CurationAction, ImportSource, LessonEdit, ManualLesson,
    MemoryMerge,
};
pub use embedding_spaces::{
    ComparisonRequest, EmbeddingSpaces, EmbeddingStatus, KnownSpace, QuestionChange, SpaceComparison,
    SpaceCoverage,
};
pub use engine::{Engine, EngineSettings};
pub use erasures::{ErasureRequest, Erasures};
pub use error::{EngineError, chain};
pub use events::{EventBus, ProjectEvent, Topic};
pub use feedback_tokens::{FeedbackTokenError, OpenedToken};
pub use insights::{EmbedderDiagnosis, Insights, ModelDiagnosis};
pub use intake::{BatchOutcome, Intake, MAX_BATCH, RunTime, Submitted, SubmittedReview, SubmittedRun};
pub use judge::{GivenRun, Judge, JudgeReport, JudgeTry, Opinion, TriedRun};
pub use judge_settings::judge_identity;
pub use key_lifetime::{KeyExpiry, KeyLifetime};
pub use key_request::{KeyRequest, KeyRotation};
pub use key_text::{KeyText, MalformedKey};
pub use keys::{FirstKey, Keys, NewlyMadeKey};
pub use learning_settings::LearningSettings;
pub use lesson_bank::{GroupingStatus, LessonBank, LessonPage};
pub use lessons::AuthoredLesson;
pub use maintenance::Maintenance;
pub use members::{MadeLink, MemberRequest, Members};
pub use memory_list::{Memories, MemoryPage, Valued};
pub use models::Models;
pub use operations::OPERATION;
pub use otlp::{SpanIntake, SpanReceipt, Telemetry};
pub use projects::Projects;
pub use provider_sign_in::{
    ProviderSignIn, ProviderSignOut, SignInProvider, SigningInBrowser, StartedSignIn,
};
pub use reachable_projects::ReachableProjects;
pub use retriever::{
    AugmentedPrompt, BlockForm, RetrievalQuery, RetrievedMemories, RetrievedMemory, Retriever, Support,
};
pub use review_queue::{BulkReviewOutcome, BulkReviews, BulkRuns, BulkVerdict, ReviewQueueService};
pub use reviews::{ReviewRequest, Reviews, TraceReviewRequest};
pub use role::{least_role, scopes_of};
pub use run_sample::is_blind;
pub use sessions::Sessions;
pub use sign_in_error::SignInError;
pub use signals::{
    FeedbackVote, IssuedToken, ShownSignal, Signals, SourceReport, SourcesReport, SubmittedSignal,
    TraceSignals,
};
pub use skills::{SkillRequest, Skills};
pub use started_session::StartedSession;
pub use story::{LessonStory, RunExcerpt};
pub use trace_list::{TraceListItem, Traces};
pub use vector_graphs::{GraphSizes, VectorGraphs};
pub use webhooks::{MadeWebhook, WebhookSender, WebhookSettings, WebhookSpec, Webhooks};
pub use worker::Worker;
