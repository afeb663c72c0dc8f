//! What came of a run, as the code around it says.

use reflect_types::MemoryId;
use serde_json::{Map, Value};

use crate::{Trajectory, Verdict};

/// What came of a run. Everything may be left out.
///
/// ```
/// use reflect_sdk::{Message, Output, Verdict};
///
/// let output = Output {
///     trajectory: Some([Message::assistant("Refunded 24.00.")].into()),
///     model: Some("small".into()),
///     ..Output::reviewed(Verdict::pass())
/// };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The messages; what was noted during the run when absent.
    pub trajectory: Option<Trajectory>,
    /// The agent's answer; taken from the last assistant message when absent.
    pub final_response: Option<String>,
    /// How it went; left out, the review is deferred.
    pub review: Option<Verdict>,
    /// The model's name.
    pub model: Option<String>,
    /// Metadata of the trace, beside what the run was started with. The name `reflect` is the client's own.
    pub metadata: Map<String, Value>,
    /// Stores the run under another task than the one that memories were retrieved for.
    pub task: Option<String>,
    /// Fixed text that the run was held against, such as a policy.
    pub reference_context: Option<String>,
    /// Which of the memories the agent acted on, when that is known.
    pub used_memory_ids: Option<Vec<MemoryId>>,
}

impl Output {
    /// With a verdict, and the messages that were noted.
    pub fn reviewed(verdict: Verdict) -> Self {
        Self { review: Some(verdict), ..Self::default() }
    }

    /// Without a verdict: somebody will review the run later.
    pub fn deferred() -> Self {
        Self::default()
    }

    /// With a text as trajectory and final response, for a start.
    pub fn text(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        let trajectory = Some(Trajectory::Text(answer.clone()));
        Self { trajectory, final_response: Some(answer), ..Self::default() }
    }
}
