//! The one form in which people are shown a trajectory: steps, whatever framework wrote the messages.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::read::{Piece, read};

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StepKind {
    /// Instructions.
    System,
    /// What somebody asked or said to the agent.
    User,
    /// What the agent said.
    Assistant,
    /// What the agent thought.
    Reasoning,
    /// The agent called a tool.
    ToolCall,
    /// What a tool gave back.
    ToolResult,
    /// Anything else, shown as it is.
    Other,
}

impl StepKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::System,
        Self::User,
        Self::Assistant,
        Self::Reasoning,
        Self::ToolCall,
        Self::ToolResult,
        Self::Other,
    ];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Other => "other",
        }
    }

    fn of_role(role: &str) -> Self {
        match role {
            "system" | "developer" => Self::System,
            "user" | "human" => Self::User,
            "assistant" | "ai" | "model" => Self::Assistant,
            _ => Self::Other,
        }
    }
}

/// One thing that a message says or does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'a> {
    /// Which message it stands in, counting from 1. One message may hold several steps.
    pub message: usize,
    /// What kind of thing it is.
    pub kind: StepKind,
    /// The tool, of a call or a result, where it is known.
    pub tool: Option<&'a str>,
    /// Whether a tool said that it failed.
    pub failed: bool,
    /// What was said, the arguments of a call, or what a tool gave back.
    pub text: Cow<'a, str>,
}

/// The steps of a trajectory, in order. Nothing is dropped: what is not recognised is a step of its own.
///
/// ```
/// use reflection_pipeline::trajectory::{StepKind, steps};
/// use serde_json::json;
///
/// let messages = [
///     json!({"role": "assistant", "content": null, "tool_calls": [
///         {"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]}),
///     json!({"role": "tool", "tool_call_id": "c1", "content": "no such city", "status": "error"}),
/// ];
/// let steps = steps(&messages);
/// assert_eq!(steps[0].kind, StepKind::ToolCall);
/// assert_eq!((steps[1].tool, steps[1].failed), (Some("weather"), true));
/// ```
pub fn steps(messages: &[Value]) -> Vec<Step<'_>> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut steps = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let parts = read(message);
        let said = StepKind::of_role(&parts.role);
        let step = |kind, tool, failed, text| Step { message: index + 1, kind, tool, failed, text };
        for piece in parts.pieces {
            steps.push(match piece {
                Piece::Text(text) => step(said, None, false, text),
                Piece::Thought(text) => step(StepKind::Reasoning, None, false, text),
                Piece::Call { name, id, arguments } => {
                    if let (Some(id), Some(name)) = (id, name) {
                        names.insert(id, name);
                    }
                    step(StepKind::ToolCall, name, false, arguments)
                }
                Piece::Result { name, id, failed, text } => {
                    let name = name.or_else(|| id.and_then(|id| names.get(id).copied()));
                    step(StepKind::ToolResult, name, failed, text)
                }
            });
        }
    }
    steps
}
