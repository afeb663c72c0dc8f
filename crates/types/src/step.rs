//! The steps of a run, as the API and the parser of trajectories name them.

use serde::{Deserialize, Serialize};

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// The system prompt.
    System,
    /// A message of the user.
    User,
    /// A message of the agent.
    Assistant,
    /// The agent's reasoning.
    Reasoning,
    /// A tool call.
    ToolCall,
    /// A tool result.
    ToolResult,
    /// An error.
    Error,
    /// Memories that the agent was shown.
    Memory,
    /// Anything else.
    Note,
}

/// The form of a part's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PartForm {
    /// Text.
    Text,
    /// JSON as text.
    Json,
    /// An image, audio or file: a data URL, an address, or the original JSON.
    Media,
}
