//! The request and response bodies of the HTTP API, shared by the server and the Rust client.
//!
//! Requests ignore unknown fields and treat null as absent, because clients of different versions are in use. [`decode`]
//! reports the ignored fields.

mod audit;
mod bulk_reviews;
mod console;
mod curation;
mod diagnosis;
mod embedding;
mod erasures;
mod error;
mod flat;
mod judge;
mod keys;
mod learning;
mod lessons;
mod limited;
mod memories;
mod overview;
mod projects;
mod review_queue;
mod reviews;
mod signals;
mod skills;
mod steps;
mod system;
mod traces;
mod unknown_fields;
mod webhooks;

pub use audit::AuditEntry;
pub use bulk_reviews::{BulkReviewed, ReviewInBulk};
pub use console::{
    ConsoleProject, ConsoleSession, CreateMember, CreateProject, CreatedMember, Member, ProjectMember,
    ProjectRole, Session, SessionTimes, SetMemberRole, SetProjectRole, SignInLink, SignedInMember,
    UnsafeRequests,
};
pub use curation::{
    Action, BulkAnswer, BulkCurationAction, CurateMemories, CurationAnswer, EditMemory, EraseMemory,
    HistoryCuration, HistoryReview, HistoryStep, ImportedFrom, ListMemories, MemoryDetail, MemoryHistory,
    MemoryNeighbour, MemoryProvenance, MemorySelection, MemoryUse, MemoryVersion, MergeMemories,
    StoredMemory, WriteMemory,
};
pub use diagnosis::{Diagnosis, EmbedderState, SearchGraphState, TextModelState};
pub use embedding::{
    ChangedQuestion, CompareEmbeddings, EmbeddingChange, EmbeddingComparison, EmbeddingSpace, EmbeddingStep,
    ServedBySpace, SwitchEmbedding,
};
pub use erasures::{CreateErasure, ErasedMemories, Erasure, ErasureState};
pub use error::{ErrorBody, ErrorDetail, ErrorPosition};
pub use judge::{JudgeAgreement, JudgeOpinion, JudgeStatus, JudgeVerdict, JudgeWeek, TryJudge};
pub use keys::{ApiKey, Bootstrap, Bootstrapped, CreateApiKey, CreatedApiKey, RotateApiKey};
pub use learning::{HealthCheck, LoopHealth, ReportClient, Uplift, UpliftArm, UpliftDifference, UpliftQuery};
pub use lessons::{
    AnswerQuestion, GroupLessons, LessonAnswer, LessonDetail, LessonGroupingStatus, LessonQuestion,
    LessonQuestionSide, ListLessons, ListQuestions, MoveSituation, SplitLesson, StoredLesson,
};
pub use limited::bounded_time;
pub use memories::{
    AugmentTask, AugmentedTask, ConsideredMemory, LessonSupport, Memory, QueryMemories, Retrieval,
};
pub use overview::{
    DayCount, LearningFailure, NewMemory, Overview, OverviewStory, PendingRun, ReflectionCounts,
    ReviewCounts, SimilarRuns, Story, StoryLesson, StoryRun, TraceCounts, UseCounts,
};
pub use projects::{DeletedProject, Project};
pub use reflect_types::{
    ChangeJudge, ChangeLessons, ChangeOtlp, ChangeProject, ChangeSignals, DeliveryState, GroupingState,
    HealthLevel, JudgeSettings, JudgeState, LessonSettings, MemorySort, OtlpSettings, PartForm,
    QuestionAnswer, QueueOrder, RunKeyName, SignalId, SignalMatching, SignalSettings, SignalSource,
    SourceRule, SourceSettings, StepKind, WebhookEventType,
};
pub use review_queue::{
    ChangeLeases, DeferTrace, DeferredTrace, DigestMemory, DigestStep, DigestSteps, HeldLeases, NextReviews,
    QueueLease, QueueReason, QueuedTrace, QueuedTraces, ReviewQueue, RunFilter, RunSignal, TraceDigest,
};
pub use reviews::{
    AuthoredReflection, InlineReview, Review, ReviewItem, ReviewOfTrace, ReviewTrace, ReviewTraces,
    ReviewsAnswer,
};
pub use signals::{
    AcceptedSignal, FeedbackToken, IssueFeedbackToken, RunKey, SendFeedback, SendSignal, SendSignals,
    SignalItem, SignalMeaning, SignalSources, SignalStatus, SignalWeek, SignalsAnswer, SignalsOfTrace,
    SourceValue, TraceSignal,
};
pub use skills::{CreateSkill, Skill};
pub use steps::{ChangeEvent, Part, PartText, Step, TraceLine, TraceSteps};
pub use system::{Health, Readiness};
pub use traces::{
    BatchAnswer, BatchItem, CreateTrace, CreateTraces, DeleteTraces, DeletedTraces, Trace, TraceSubmission,
    TrajectoryInput,
};
pub use unknown_fields::{Decoded, UnknownField, decode, fields_of};
pub use webhooks::{
    ChangeWebhook, CreateWebhook, CreatedWebhook, QueuedDelivery, RotateWebhookSecret, Webhook,
    WebhookAttempt, WebhookDelivery, WebhookDeliveryDetail,
};
