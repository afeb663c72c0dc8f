//! What a run consists of: messages, or any text.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// One message of a trajectory: a JSON object, as frameworks and providers write them.
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
    /// A message of any role. The content may be text or anything else that is JSON.
    pub fn new(role: impl Into<String>, content: impl Into<Value>) -> Self {
        let fields =
            [("role".to_owned(), Value::String(role.into())), ("content".to_owned(), content.into())];
        Self(Map::from_iter(fields))
    }

    /// What the system was told.
    pub fn system(content: impl Into<Value>) -> Self {
        Self::new("system", content)
    }

    /// What the user said.
    pub fn user(content: impl Into<Value>) -> Self {
        Self::new("user", content)
    }

    /// What the agent said.
    pub fn assistant(content: impl Into<Value>) -> Self {
        Self::new("assistant", content)
    }

    /// That the agent called a tool.
    pub fn tool_call(name: &str, arguments: impl Into<Value>) -> Self {
        let arguments = arguments.into();
        Self::assistant("").with("tool_calls", json!([{ "name": name, "arguments": arguments }]))
    }

    /// What a tool gave.
    pub fn tool_result(name: &str, content: impl Into<Value>) -> Self {
        Self::new("tool", content).with("name", name)
    }

    /// A message as it comes from elsewhere. What is no object becomes what an assistant said.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(fields) => Self(fields),
            other => Self::assistant(other),
        }
    }

    /// The same with one field more.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.to_owned(), value.into());
        self
    }

    /// Its fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }
}

/// What a run consists of: messages, or text that somebody wrote down. JSON text of messages is read as messages.
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

    /// As it is sent.
    pub(crate) fn raw(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(self).expect("messages are JSON already")
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
