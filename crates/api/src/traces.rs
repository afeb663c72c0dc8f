//! Traces: requests and responses.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reflect_types::{Arm, IngestStatus, Link, MemoryId, RetrievalId, ReviewStatus, RunKeyName, TraceId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::error::ErrorDetail;
use crate::reviews::{InlineReview, Review};

/// Records a trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateTrace {
    /// An id that the caller generated (UUID version 7, from the last 30 days). Sending the same trace with the same id
    /// again stores nothing new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<Uuid>,
    /// The task of the agent.
    pub task: String,
    /// The messages of the run, or their JSON text, or any text.
    #[cfg_attr(feature = "openapi", schema(value_type = TrajectoryInput))]
    pub trajectory: Box<RawValue>,
    /// The memories that the agent was shown. Unknown ids are ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved_memory_ids: Option<Vec<String>>,
    /// The receipt of the retrieval that returned them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<RetrievalId>,
    /// The memories that the agent used, if known. Only these then get credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_memory_ids: Option<Vec<String>>,
    /// The model of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Any data to filter by.
    #[serde(default, deserialize_with = "crate::limited::metadata", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Map<String, serde_json::Value>>,
    /// The agent's answer. Default: the last assistant message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_response: Option<String>,
    /// Fixed text, such as a policy or a schema, to compare the run with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_context: Option<String>,
    /// Keys by which signals find the run later, such as `session`, `conversation`, `commit`, `pull_request` or `ticket`: at
    /// most 8, with values of at most 200 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<BTreeMap<String, String>>))]
    pub keys: Option<BTreeMap<RunKeyName, String>>,
    /// The review, if the result is already known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<InlineReview>,
}

impl CreateTrace {
    /// A run with nothing but its task and its messages.
    pub fn new(task: String, trajectory: Box<RawValue>) -> Self {
        Self {
            trace_id: None,
            task,
            trajectory,
            retrieved_memory_ids: None,
            retrieval_id: None,
            used_memory_ids: None,
            model: None,
            metadata: None,
            final_response: None,
            reference_context: None,
            keys: None,
            review: None,
        }
    }
}

/// The accepted forms of a trajectory.
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

/// The result of recording a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TraceSubmission {
    /// The trace's id.
    pub trace_id: TraceId,
    /// The same id, with the name that newer clients read.
    pub id: TraceId,
    /// `queued` while a review waits for learning, otherwise `completed`.
    pub ingest_status: IngestStatus,
    /// The memory, if the review contained the lesson.
    pub created_memory_id: Option<MemoryId>,
}

/// Records many traces.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateTraces {
    /// At most 100.
    #[cfg_attr(feature = "openapi", schema(max_items = 100))]
    pub traces: Vec<CreateTrace>,
}

/// One result for each trace of a batch, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BatchAnswer {
    /// As many as were sent.
    pub results: Vec<BatchItem>,
}

/// The result of one trace of a batch: either a submission or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum BatchItem {
    /// Stored.
    Stored(TraceSubmission),
    /// Refused.
    Refused {
        /// Why it was refused.
        error: ErrorDetail,
    },
}

/// A recorded trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trace {
    /// The trace's id.
    pub id: TraceId,
    /// The task of the agent.
    pub task: String,
    /// The messages of the run; always an array of objects.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub trajectory: Box<RawValue>,
    /// The agent's answer.
    pub final_response: String,
    /// The memories that the agent was shown, as sent.
    pub retrieved_memory_ids: Vec<String>,
    /// The receipt of the retrieval, if the client sent one.
    pub retrieval_id: Option<RetrievalId>,
    /// The memories that the review counts for.
    pub linked_memory_ids: Vec<MemoryId>,
    /// How these memories were determined.
    pub link: Link,
    /// The group of the run in a randomised comparison, if there was one.
    pub arm: Option<Arm>,
    /// The model of the run.
    pub model: Option<String>,
    /// The metadata as sent.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: serde_json::Value,
    /// Fixed text to compare the run with.
    pub reference_context: Option<String>,
    /// The keys by which signals find the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, String>,
    /// `reviewed` after the review has become a memory.
    pub review_status: ReviewStatus,
    /// The state of learning.
    pub ingest_status: IngestStatus,
    /// How many times learning was tried.
    pub ingest_attempts: i16,
    /// Why the last attempt failed and what to do. If the trace is completed: why the lesson of the model was replaced.
    pub last_ingest_error: Option<String>,
    /// The memory that was learned from it.
    pub created_memory_id: Option<MemoryId>,
    /// The review. It is present as soon as it is stored, while the lesson is still being written.
    pub review: Option<Review>,
    /// When the trace was stored.
    pub created_at: DateTime<Utc>,
}

/// Deletes traces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteTraces {
    /// At most 1000. Unknown or invalid ids are ignored.
    #[cfg_attr(feature = "openapi", schema(max_items = 1000))]
    pub trace_ids: Vec<String>,
}

/// How many traces were deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeletedTraces {
    /// The number of deleted traces.
    pub deleted: u64,
    /// Their ids.
    pub trace_ids: Vec<TraceId>,
}
