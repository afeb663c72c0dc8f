//! The output of a run.

use reflect_types::MemoryId;
use serde_json::{Map, Value};

use crate::message::Trajectory;
use crate::verdict::ReviewVerdict;

/// The output of a run. All fields are optional.
///
/// ```
/// use reflect_sdk::{Message, Output, ReviewVerdict};
///
/// let output = Output {
///     trajectory: Some([Message::assistant("Refunded 24.00.")].into()),
///     model: Some("small".into()),
///     ..Output::reviewed(ReviewVerdict::pass())
/// };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The messages. Default: the messages of the run.
    pub trajectory: Option<Trajectory>,
    /// The answer of the agent. Default: the last assistant message.
    pub final_response: Option<String>,
    /// The review. Without it, the review is deferred.
    pub review: Option<ReviewVerdict>,
    /// The name of the model.
    pub model: Option<String>,
    /// Metadata of the trace, in addition to that of the start. The key `reflect` is reserved for the client.
    pub metadata: Map<String, Value>,
    /// The task of the trace, if it differs from the task of the retrieval.
    pub task: Option<String>,
    /// Fixed reference text for the review, such as a policy.
    pub reference_context: Option<String>,
    /// The memories that the agent used, if known.
    pub used_memory_ids: Option<Vec<MemoryId>>,
}

impl Output {
    /// An output with a verdict and the messages of the run.
    pub fn reviewed(verdict: ReviewVerdict) -> Self {
        Self { review: Some(verdict), ..Self::default() }
    }

    /// An output without a verdict. The run is reviewed later.
    pub fn deferred() -> Self {
        Self::default()
    }

    /// An output with a text as trajectory and final response.
    pub fn text(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        let trajectory = Some(Trajectory::Text(answer.clone()));
        Self { trajectory, final_response: Some(answer), ..Self::default() }
    }
}
