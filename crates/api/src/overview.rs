//! A project at a glance: whether its loop turns.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{MemoryId, MemoryOrigin, TraceId};
use serde::{Deserialize, Serialize};

/// Whether the loop turns, stage by stage. Shares are of the newest runs of the last seven days, 20,000 at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Overview {
    /// When this was true.
    pub as_of: DateTime<Utc>,
    /// First stage: runs come in.
    pub traces: TraceCounts,
    /// Second stage: they are judged.
    pub reviews: ReviewCounts,
    /// Third stage: verdicts become memories.
    pub reflections: ReflectionCounts,
    /// Fourth stage: runs have memories.
    pub memories_used: UseCounts,
    /// How runs went, by the day of their verdict (UTC), oldest first, of the last 30 days. Days without a verdict
    /// are absent.
    pub success_by_day: Vec<DayCount>,
    /// The newest memories that may be served, 5 at most.
    pub newest_memories: Vec<NewMemory>,
    /// The newest runs whose learning was given up, 5 at most.
    pub failures: Vec<LearningFailure>,
}

/// How many runs came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceCounts {
    /// In the last day.
    pub last_24h: i64,
    /// In the last week.
    pub last_7d: i64,
    /// Whether there are more than were counted.
    pub more: bool,
}

/// How many runs were judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewCounts {
    /// Runs that were looked at.
    pub runs: i64,
    /// Those that have a verdict.
    pub reviewed: i64,
    /// Their share; null without runs.
    pub share: Option<f64>,
    /// Runs of any age that wait for a verdict; counted to 1000.
    pub pending: i64,
    /// Whether there are more than that.
    pub pending_more: bool,
    /// The one that has waited longest.
    pub oldest_pending: Option<PendingRun>,
}

/// A run that waits for a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PendingRun {
    /// Its id.
    pub trace_id: TraceId,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

/// What became of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReflectionCounts {
    /// Those that are memories.
    pub made: i64,
    /// Those that were given up.
    pub failed: i64,
    /// Those that wait or are worked on.
    pub queued: i64,
}

/// How many runs had memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UseCounts {
    /// Runs that were looked at.
    pub runs: i64,
    /// Those that had at least one memory.
    pub with_memories: i64,
    /// Their share; null without runs.
    pub share: Option<f64>,
}

/// How the runs judged on one day went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DayCount {
    /// The day (UTC).
    pub day: NaiveDate,
    /// Verdicts.
    pub reviews: i64,
    /// Those that said pass.
    pub passed: i64,
}

/// A memory, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMemory {
    /// Its id.
    pub id: MemoryId,
    /// The task it comes from, shortened.
    pub task: String,
    /// What it says, shortened.
    pub summary: String,
    /// Who wrote it.
    pub origin: MemoryOrigin,
    /// How the run went that it comes from.
    pub success: Option<bool>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A run whose verdict could not be learned from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LearningFailure {
    /// The run.
    pub trace_id: TraceId,
    /// What it was about, shortened.
    pub task: String,
    /// Why, in words a person can act on.
    pub error: Option<String>,
    /// When the run was stored.
    pub created_at: DateTime<Utc>,
}
