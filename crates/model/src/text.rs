//! The port to a model that answers in text.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ModelError;

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The rules of the conversation.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
}

impl ChatMessage {
    /// The rules of the conversation.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: ChatRole::System, content: content.into() }
    }

    /// A question.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: ChatRole::User, content: content.into() }
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: ChatRole::Assistant, content: content.into() }
    }
}

/// The shape an answer must have.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// A short name, which some providers demand.
    pub name: String,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// A conversation that awaits its next message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// What was said so far.
    pub messages: Vec<ChatMessage>,
    /// The shape the answer must have. A provider without such a feature gets it as text.
    pub schema: Option<OutputSchema>,
    /// The longest answer that is wanted, in tokens.
    pub max_tokens: Option<u32>,
    /// Nought for the same answer every time. None leaves it to the provider.
    pub temperature: Option<f64>,
}

impl ChatRequest {
    /// A conversation of these messages.
    pub fn new(messages: Vec<ChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// What a call cost, in tokens. Nought where the provider does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written.
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
    /// The text, as it came.
    pub text: String,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// The answer reached `max_tokens` and may end in the middle.
    pub cut_off: bool,
}

/// A model that answers a conversation.
#[async_trait]
pub trait TextModel: Send + Sync {
    /// The model as people know it, such as `openai/gpt-5.4-mini`.
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
