//! Traces: what a run was, going in and coming out.

use chrono::{DateTime, Utc};
use reflect_types::{Arm, IngestStatus, Link, MemoryId, RetrievalId, ReviewStatus, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::{ErrorDetail, InlineReview, Review};

/// Records a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateTrace {
    /// An id of the caller's own making (UUID version 7, of the last 30 days). Sending the same
    /// trace under the same id again stores nothing new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<Uuid>,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages of the run, or their JSON text, or any text.
    #[cfg_attr(feature = "openapi", schema(value_type = TrajectoryInput))]
    pub trajectory: Box<RawValue>,
    /// The memories that were shown to the agent. Unknown ids do no harm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_memory_ids: Option<Vec<String>>,
    /// The receipt of the retrieval that served them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<RetrievalId>,
    /// Which of those memories it made use of, when that is known; only they are credited then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_memory_ids: Option<Vec<String>>,
    /// The model that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Anything worth filtering by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// The agent's answer; taken from the last assistant message when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Fixed text, such as a policy or a schema, that the run was held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_context: Option<String>,
    /// The verdict, when it is known already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<InlineReview>,
}

/// The forms in which a trajectory may be sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum TrajectoryInput {
    /// Messages.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    Messages(Vec<serde_json::Map<String, serde_json::Value>>),
    /// JSON text of messages, or any other text.
    Text(String),
}

/// What became of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceSubmission {
    /// The trace's id.
    pub trace_id: TraceId,
    /// The same id, under the name that newer clients read.
    pub id: TraceId,
    /// `queued` while a review waits to be learned from, else `completed`.
    pub ingest_status: IngestStatus,
    /// The memory, when the lesson came with the review and is stored already.
    pub created_memory_id: Option<MemoryId>,
}

/// Records many runs in one call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateTraces {
    /// At most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub traces: Vec<CreateTrace>,
}

/// One answer for each trace of a batch, in the order they were sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchAnswer {
    /// As many as were sent.
    pub results: Vec<BatchItem>,
}

/// What became of one trace of a batch: it has a submission or an error, never both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum BatchItem {
    /// Stored.
    Stored(TraceSubmission),
    /// Not stored, for this reason.
    Refused {
        /// What was wrong with it.
        error: ErrorDetail,
    },
}

/// A recorded run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trace {
    /// The trace's id.
    pub id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages of the run; always an array of objects.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub trajectory: Box<RawValue>,
    /// The agent's answer.
    pub final_response: String,
    /// The memories that were shown to the agent, as sent.
    pub retrieved_memory_ids: Vec<String>,
    /// The receipt of the retrieval, when the client sent one.
    pub retrieval_id: Option<RetrievalId>,
    /// The memories that its review counts for, however that is known.
    pub linked_memory_ids: Vec<MemoryId>,
    /// How it is known which memories the run had.
    pub link: Link,
    /// On which side of a comparison the run is, when that was decided by lot.
    pub arm: Option<Arm>,
    /// The model that ran.
    pub model: Option<String>,
    /// As sent.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: serde_json::Value,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
    /// `reviewed` once the review has become a memory.
    pub review_status: ReviewStatus,
    /// How far the processing has come.
    pub ingest_status: IngestStatus,
    /// How often processing was tried.
    pub ingest_attempts: i16,
    /// Why the last attempt failed, in words a person can act on.
    pub last_ingest_error: Option<String>,
    /// The memory that the review became.
    pub created_memory_id: Option<MemoryId>,
    /// The verdict; there at once, even while the lesson is still being written.
    pub review: Option<Review>,
    /// When the trace was stored.
    pub created_at: DateTime<Utc>,
}

/// Names the traces to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteTraces {
    /// At most 1000; ids that are unknown or no ids at all are passed over.
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub trace_ids: Vec<String>,
}

/// How many traces were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeletedTraces {
    /// Traces that existed and are gone now.
    pub deleted: u64,
    /// Their ids.
    pub trace_ids: Vec<TraceId>,
}
