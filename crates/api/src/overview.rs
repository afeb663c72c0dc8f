//! The overview of a project: the state of its learning loop, and the story of one of its lessons.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{LessonId, MemoryId, MemoryOrigin, TraceId};
use serde::{Deserialize, Serialize};

/// The state of the learning loop by stage. Shares refer to the newest traces of the last seven days, at most 20,000.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Overview {
    /// When this was computed.
    pub as_of: DateTime<Utc>,
    /// First stage: traces are recorded.
    pub traces: TraceCounts,
    /// Second stage: traces are reviewed.
    pub reviews: ReviewCounts,
    /// Third stage: reviews become memories.
    pub reflections: ReflectionCounts,
    /// Fourth stage: runs use memories.
    pub memories_used: UseCounts,
    /// How many lessons have an active memory. Only the newest 100,000 memories are counted, here and below. 0 if the
    /// server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub lessons: i64,
    /// How many memories are active. 0 if the server does not send it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub situations: i64,
    /// Results by the day of the review (UTC), oldest first, for the last 30 days. Days without a review
    /// are omitted.
    pub success_by_day: Vec<DayCount>,
    /// The newest active memories, at most 5.
    pub newest_memories: Vec<NewMemory>,
    /// The newest traces whose learning failed, at most 5.
    pub failures: Vec<LearningFailure>,
}

/// How many traces were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceCounts {
    /// In the last 24 hours.
    pub last_24h: i64,
    /// In the last 7 days.
    pub last_7d: i64,
    /// Whether there are more than were counted.
    pub more: bool,
}

/// How many traces were reviewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewCounts {
    /// Traces in the sample.
    pub runs: i64,
    /// Traces with a review.
    pub reviewed: i64,
    /// Their share. Null without traces.
    pub share: Option<f64>,
    /// Traces of any age that wait for a review: without one and not deferred. Counted up to 1000.
    pub pending: i64,
    /// Whether there are more.
    pub pending_more: bool,
    /// The oldest of them.
    pub oldest_pending: Option<PendingRun>,
}

/// A trace that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PendingRun {
    /// The trace's id.
    pub trace_id: TraceId,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
}

/// What happened to reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReflectionCounts {
    /// Reviews that became memories.
    pub made: i64,
    /// Reviews whose learning failed.
    pub failed: i64,
    /// Reviews that are queued or in progress.
    pub queued: i64,
}

/// How many traces used memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UseCounts {
    /// Traces in the sample.
    pub runs: i64,
    /// Traces with at least one memory.
    pub with_memories: i64,
    /// Their share. Null without traces.
    pub share: Option<f64>,
}

/// The results of the reviews of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DayCount {
    /// The day (UTC).
    pub day: NaiveDate,
    /// Reviews.
    pub reviews: i64,
    /// Passes.
    pub passed: i64,
}

/// A short view of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMemory {
    /// The memory's id.
    pub id: MemoryId,
    /// The task it was learned from, shortened.
    pub task: String,
    /// The lesson, shortened.
    pub summary: String,
    /// Who wrote it.
    pub origin: MemoryOrigin,
    /// Whether the source run passed.
    pub success: Option<bool>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A trace whose learning failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LearningFailure {
    /// The trace.
    pub trace_id: TraceId,
    /// The task, shortened.
    pub task: String,
    /// Why it failed and what to do.
    pub error: Option<String>,
    /// When the trace was recorded.
    pub created_at: DateTime<Utc>,
}

/// The story of a lesson of the project, if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OverviewStory {
    /// The story. Null if no lesson of a failed run has helped a later run to pass yet.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub story: Option<Story>,
}

/// How the project learned from a failed run. Texts are one line of at most 300 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Story {
    /// The run that failed.
    pub failed: StoryRun,
    /// What was learned from it.
    pub lesson: StoryLesson,
    /// The newest run that used the lesson and passed.
    pub passed: StoryRun,
    /// Reviewed runs with similar tasks, before the lesson was stored; the failed run is one of them. This and `after` count
    /// runs of the 200 most similar memories, and are 0 without embeddings.
    pub before: SimilarRuns,
    /// Those that were reviewed since then, with or without the lesson. The difference is not only the effect of the lesson.
    pub after: SimilarRuns,
}

/// A run of a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoryRun {
    /// The trace.
    pub trace_id: TraceId,
    /// The task.
    pub task: String,
    /// The line that shows how the run went: of the answer, or of a step.
    pub line: String,
    /// The number of that step, from 1. Null if the line is of the answer.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub step: Option<u32>,
    /// When the trace was recorded.
    pub at: DateTime<Utc>,
}

/// The lesson of a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoryLesson {
    /// The lesson.
    pub lesson_id: LessonId,
    /// The lesson in one line.
    pub summary: String,
    /// What the reviewer of the failed run said.
    pub feedback: String,
    /// The reviewer.
    pub reviewer: String,
}

/// Reviewed runs with similar tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SimilarRuns {
    /// How many were reviewed.
    pub reviewed: u32,
    /// How many of them passed.
    pub passed: u32,
}
