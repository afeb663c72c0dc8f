//! Scripts: how the provider responds to each call. A script is plain data, so it can also come from a file or from
//! another process.

use serde::{Deserialize, Serialize};

/// How the provider responds to each call.
///
/// ```
/// use reflect_scripted_provider::{ChatBehaviour, Script};
/// let script: Script = serde_json::from_str(
///     r#"{"chat": {"queue": [{"status": {"code": 429, "retry_after": "2"}}, "hang"], "default": "answer"},
///         "embeddings": {"default": "nan"}}"#,
/// )
/// .unwrap();
/// assert_eq!(script.chat.queue[1], ChatBehaviour::Hang);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The behaviour of `/v1/chat/completions`.
    pub chat: EndpointScript<ChatBehaviour>,
    /// The behaviour of `/v1/embeddings`.
    pub embeddings: EndpointScript<EmbedBehaviour>,
    /// The dimension of vectors, unless the request sets one.
    pub dimension: usize,
}

impl Default for Script {
    fn default() -> Self {
        // The dimension of common small embedding models.
        Self { chat: EndpointScript::default(), embeddings: EndpointScript::default(), dimension: 384 }
    }
}

/// How one endpoint responds to its calls. The first of these that applies decides: the rules, the queue, the mix, the
/// default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "B: Deserialize<'de> + Default"))]
pub struct EndpointScript<B> {
    /// For requests that contain certain words.
    pub rules: Vec<Rule<B>>,
    /// For the first calls: one behaviour per call, in this order.
    pub queue: Vec<B>,
    /// For a random share of the calls after the queue is empty.
    pub mix: Option<Mix<B>>,
    /// For all other calls.
    pub default: B,
}

impl<B: Default> EndpointScript<B> {
    /// The same behaviour for every call.
    pub fn always(behaviour: B) -> Self {
        Self { default: behaviour, ..Self::default() }
    }

    /// These behaviours for the first calls, then a usable response for every call.
    pub fn first(behaviours: impl IntoIterator<Item = B>) -> Self {
        Self { queue: behaviours.into_iter().collect(), ..Self::default() }
    }
}

/// A behaviour for requests that contain certain words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule<B> {
    /// The words. The text of the request must contain all of them, ignoring case.
    pub words: Vec<String>,
    /// The behaviour.
    pub behaviour: B,
}

/// Random behaviours. The same seed gives the same sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix<B> {
    /// The seed of the random numbers.
    #[serde(default)]
    pub seed: u64,
    /// The behaviours and their shares. The remaining share gets the default.
    pub parts: Vec<MixPart<B>>,
}

/// One behaviour of a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixPart<B> {
    /// The share of the calls, from 0 to 1.
    pub share: f64,
    /// The behaviour.
    pub behaviour: B,
}

/// The behaviour of a chat call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatBehaviour {
    /// A usable response: the request's schema filled in, or a sentence.
    #[default]
    Answer,
    /// This text.
    Text(String),
    /// A usable response after this many milliseconds.
    DelayMs(u64),
    /// Valid JSON with a wrong shape.
    WrongSchema,
    /// A prompt injection with unbalanced closing tags.
    Injection,
    /// Five megabytes of text.
    Huge,
    /// Half a text, marked as truncated by the token limit.
    CutOff,
    /// A response without choices.
    NoChoices,
    /// An HTML page with status 200.
    NotJson,
    /// Half of the JSON.
    Truncated,
    /// One byte per second.
    Trickle,
    /// No response; the connection stays open.
    Hang,
    /// The connection is closed without a response.
    Refuse,
    /// An error.
    Status {
        /// Status code.
        code: u16,
        /// The header `Retry-After`, unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
        /// The message of the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl ChatBehaviour {
    /// An error with this status and a default message.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None, message: None }
    }
}

/// The behaviour of an embedding call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedBehaviour {
    /// Vectors that are similar if the texts share words.
    #[default]
    Answer,
    /// The same vector for every text, which costs nothing to compute.
    Constant,
    /// A usable response after this many milliseconds.
    DelayMs(u64),
    /// Vectors with one dimension too many.
    WrongDimension,
    /// `NaN` among the numbers, which is not valid JSON.
    Nan,
    /// `null` among the numbers.
    Null,
    /// Vectors of zeros.
    Zero,
    /// One vector too few.
    Fewer,
    /// All vectors in reverse order, with correct indexes.
    Reversed,
    /// All vectors with index 0.
    SameIndex,
    /// Half of the JSON.
    Truncated,
    /// One byte per second.
    Trickle,
    /// No response; the connection stays open.
    Hang,
    /// The connection is closed without a response.
    Refuse,
    /// An error.
    Status {
        /// Status code.
        code: u16,
        /// The header `Retry-After`, unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
        /// The message of the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl EmbedBehaviour {
    /// An error with this status and a default message.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None, message: None }
    }
}
