//! The content of a run: messages or text.

use reflect_types::RetrievalId;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// One message of a trajectory: a JSON object in the format of a framework or provider.
///
/// ```
/// use reflect_sdk::Message;
/// use serde_json::json;
///
/// let said = Message::assistant("It has shipped.").with("model", "small");
/// assert_eq!(said.fields()["content"], "It has shipped.");
/// let taken_over = Message::from_value(json!({ "role": "tool", "content": [1, 2] }));
/// assert_eq!(taken_over.fields()["role"], "tool");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Message(Map<String, Value>);

impl Message {
    /// A message of any role. The content can be text or any other JSON value.
    pub fn new(role: impl Into<String>, content: impl Into<Value>) -> Self {
        let fields =
            [("role".to_owned(), Value::String(role.into())), ("content".to_owned(), content.into())];
        Self(Map::from_iter(fields))
    }

    /// A system message.
    pub fn system(content: impl Into<Value>) -> Self {
        Self::new("system", content)
    }

    /// A user message.
    pub fn user(content: impl Into<Value>) -> Self {
        Self::new("user", content)
    }

    /// An assistant message.
    pub fn assistant(content: impl Into<Value>) -> Self {
        Self::new("assistant", content)
    }

    /// An assistant message with a tool call.
    pub fn tool_call(name: &str, arguments: impl Into<Value>) -> Self {
        let arguments = arguments.into();
        Self::assistant("").with("tool_calls", json!([{ "name": name, "arguments": arguments }]))
    }

    /// The result of a tool.
    pub fn tool_result(name: &str, content: impl Into<Value>) -> Self {
        Self::new("tool", content).with("name", name)
    }

    /// An assistant message that marks a step: the state that the agent was in, what it did, and the receipt of its query
    /// for memories.
    pub fn step(task: &str, action: &str, retrieval_id: Option<RetrievalId>) -> Self {
        let mut mark = json!({ "task": task, "action": action });
        if let Some(receipt) = retrieval_id {
            mark["retrieval_id"] = receipt.to_string().into();
        }
        Self::assistant(action).with("reflect_step", mark)
    }

    /// A message from a JSON value. A value that is not an object becomes the content of an assistant message.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(fields) => Self(fields),
            other => Self::assistant(other),
        }
    }

    /// Adds one field.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.to_owned(), value.into());
        self
    }

    /// The fields of the message.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// The content of a run: messages or text. Text that is a JSON list of messages is read as messages.
///
/// ```
/// use reflect_sdk::{Message, Trajectory};
///
/// let messages: Trajectory = vec![Message::user("go"), Message::assistant("done")].into();
/// let text: Trajectory = "It went well.".into();
/// assert_ne!(messages, text);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Trajectory {
    /// Messages, in order.
    Messages(Vec<Message>),
    /// Any text.
    Text(String),
}

impl Trajectory {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Messages(messages) => messages.is_empty(),
            Self::Text(text) => text.is_empty(),
        }
    }

    /// The JSON to send.
    pub(crate) fn raw(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(self).expect("messages are already JSON")
    }
}

impl From<Vec<Message>> for Trajectory {
    fn from(messages: Vec<Message>) -> Self {
        Self::Messages(messages)
    }
}

impl<const N: usize> From<[Message; N]> for Trajectory {
    fn from(messages: [Message; N]) -> Self {
        Self::Messages(messages.into())
    }
}

impl From<String> for Trajectory {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Trajectory {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
