//! The names that frameworks give to roles, wrappers, fields and blocks.
//!
//! Formats: OpenAI chat and responses, Anthropic, Gemini, Bedrock, LangChain, the AI SDK, and the GenAI conventions of
//! OpenTelemetry.

use reflect_types::StepKind;

/// Some frameworks put a message inside another object.
pub(crate) const WRAPPERS: [&str; 3] = ["kwargs", "data", "message"];
/// What a message says.
pub(crate) const CONTENT: [&str; 3] = ["content", "parts", "text"];
/// What the agent thought, beside what it says.
pub(crate) const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
/// `id` comes last: it may be the id of the message.
pub(crate) const CALL_IDS: [&str; 7] =
    ["tool_call_id", "call_id", "callId", "tool_use_id", "toolUseId", "toolCallId", "id"];
pub(crate) const TOOLS: [&str; 3] = ["name", "tool_name", "toolName"];
pub(crate) const ARGUMENTS: [&str; 3] = ["arguments", "args", "input"];
pub(crate) const RESULTS: [&str; 4] = ["output", "content", "response", "result"];
/// Objects that are a call or a result by the field they are in.
pub(crate) const CALL_FIELDS: [&str; 2] = ["functionCall", "toolUse"];
pub(crate) const RESULT_FIELDS: [&str; 2] = ["functionResponse", "toolResult"];
/// What a media block of OpenTelemetry may contain.
pub(crate) const MODALITIES: [&str; 5] = ["image", "audio", "video", "document", "text"];
/// Files of Gemini.
pub(crate) const FILE_FIELDS: [&str; 4] = ["inlineData", "inline_data", "fileData", "file_data"];
/// Roles of what the model says.
pub(crate) const ASSISTANT: [&str; 5] = ["assistant", "ai", "model", "AIMessage", "AIMessageChunk"];

/// What a role, or the type of a message, stands for.
pub(crate) fn kind_of_role(role: &str) -> Option<StepKind> {
    Some(match role {
        "system" | "developer" | "SystemMessage" => StepKind::System,
        "user" | "human" | "HumanMessage" => StepKind::User,
        role if ASSISTANT.contains(&role) => StepKind::Assistant,
        "tool" | "function" | "ToolMessage" | "FunctionMessage" => StepKind::ToolResult,
        "error" => StepKind::Error,
        _ => return None,
    })
}

/// What the type of a block says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockType {
    Text,
    Thought,
    Call,
    /// A call of a tool that the type itself names, such as `web_search_call`.
    NamedCall,
    Result,
    Media,
    Other,
}

pub(crate) fn block_type(name: &str) -> BlockType {
    match name {
        "text" | "input_text" | "output_text" | "summary_text" | "refusal" | "" => BlockType::Text,
        "thinking" | "redacted_thinking" | "reasoning" | "reasoning_text" => BlockType::Thought,
        "tool_use" | "server_tool_use" | "tool_call" | "tool-call" | "function_call" | "custom_tool_call"
        | "server_tool_call" | "mcp_call" => BlockType::Call,
        "tool_result"
        | "tool-result"
        | "tool-error"
        | "tool_call_response"
        | "server_tool_call_response"
        | "function_call_output"
        | "custom_tool_call_output"
        | "tool_call_output" => BlockType::Result,
        name if name.ends_with("_call") => BlockType::NamedCall,
        "image" | "image_url" | "input_image" | "audio" | "input_audio" | "document" | "file"
        | "input_file" | "video" | "blob" | "uri" => BlockType::Media,
        _ => BlockType::Other,
    }
}
