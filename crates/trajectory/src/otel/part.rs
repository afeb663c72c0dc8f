//! What one span or one event says about its run.
//!
//! A part is stored until its run has ended. A field that a later version adds must have a default.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a part is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunPartKind {
    /// An agent, a workflow or a step of one. It contains other parts.
    Agent,
    /// A call of a model.
    Model,
    /// A use of a tool.
    Tool,
    /// An event that adds messages to a span.
    Event,
    /// A span of a convention that says nothing about what the agent did, such as an embedding.
    #[default]
    Other,
}

/// What one span or one event says about its run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunPart {
    /// What it is.
    pub kind: RunPartKind,
    /// The id of its span, in hexadecimal.
    pub span: String,
    /// The id of the parent span. `None` for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The name of the span.
    pub name: String,
    /// When it started, in nanoseconds since 1970.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// The place of a log record in its request, in which records of one moment are in order.
    pub place: u32,
    /// Why it failed, if it did. Never empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The messages that went in, in any form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<Box<RawValue>>,
    /// The messages that came out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<Box<RawValue>>,
    /// The use of a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolSpan>,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens of a model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// What it says about the whole run.
    pub context: RunAttributes,
}

/// The use of a tool.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolSpan {
    /// The id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The name of the tool.
    pub name: String,
    /// The arguments: a text, or JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// The result: a text, or JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
}

/// The tokens of a model call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenUsage {
    /// The tokens of the request.
    pub input_tokens: u64,
    /// The tokens of the answer.
    pub output_tokens: u64,
}

/// What a part says about the whole run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunAttributes {
    /// The task, if the application set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The receipt of the memory query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval_id: Option<String>,
    /// The session of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The name of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The service that sent the span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

impl RunAttributes {
    /// Takes what is missing here from another part.
    pub(crate) fn fill_from(&mut self, other: &Self) {
        let fields = [
            (&mut self.task, &other.task),
            (&mut self.retrieval_id, &other.retrieval_id),
            (&mut self.session, &other.session),
            (&mut self.conversation, &other.conversation),
            (&mut self.user, &other.user),
            (&mut self.agent, &other.agent),
            (&mut self.service, &other.service),
        ];
        for (mine, theirs) in fields {
            if mine.is_none() {
                mine.clone_from(theirs);
            }
        }
    }
}
