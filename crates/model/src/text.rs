//! The port to a model that answers in text.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ModelError;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The system prompt.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// The role.
    pub role: ChatRole,
    /// The text.
    pub content: String,
}

impl ChatMessage {
    /// A system prompt.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: ChatRole::System, content: content.into() }
    }

    /// A message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: ChatRole::User, content: content.into() }
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: ChatRole::Assistant, content: content.into() }
    }
}

/// The schema of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// A short name. Some providers require it.
    pub name: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// A conversation whose next message is requested.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The messages so far.
    pub messages: Vec<ChatMessage>,
    /// The schema of the answer. A provider without structured output gets it as text.
    pub schema: Option<OutputSchema>,
    /// The maximum length of the answer, in tokens.
    pub max_tokens: Option<u32>,
    /// 0 gives the most repeatable answers. `None` for the default of the provider.
    pub temperature: Option<f64>,
}

impl ChatRequest {
    /// A conversation of these messages.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// The tokens of a call. 0 if the provider does not report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatAnswer {
    /// The text, unchanged.
    pub text: String,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The token usage.
    pub usage: Usage,
    /// The answer reached `max_tokens` and may be truncated.
    pub cut_off: bool,
}

/// A model that answers a conversation.
#[async_trait]
pub trait TextModel: Send + Sync {
    /// The model's name for people, such as `openai/gpt-5.4-mini`.
    fn name(&self) -> &str;

    /// The next message of the conversation.
    async fn chat(&self, request: ChatRequest) -> Result<ChatAnswer, ModelError>;
}

#[async_trait]
impl<M: TextModel + ?Sized> TextModel for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatAnswer, ModelError> {
        (**self).chat(request).await
    }
}
