//! What the provider does, call by call. Plain data: a test builds it, a file or another process sends it.

use serde::{Deserialize, Serialize};

/// What the provider does with every call.
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
    /// What happens at `/v1/chat/completions`.
    pub chat: Lane<ChatBehaviour>,
    /// What happens at `/v1/embeddings`.
    pub embeddings: Lane<EmbedBehaviour>,
    /// How many numbers a vector has, unless the request names a dimension.
    pub dimension: usize,
}

impl Default for Script {
    fn default() -> Self {
        // 384 is what the common small embedding models give.
        Self { chat: Lane::default(), embeddings: Lane::default(), dimension: 384 }
    }
}

/// What happens at one address. The first of these that has something to say decides: a rule, the queue, the
/// mix, the default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound(deserialize = "B: Deserialize<'de> + Default"))]
pub struct Lane<B> {
    /// For requests that speak of certain things, whenever they come.
    pub rules: Vec<Rule<B>>,
    /// For the first calls, one each.
    pub queue: Vec<B>,
    /// A share of the calls after those, by chance.
    pub mix: Option<Mix<B>>,
    /// For all other calls.
    pub default: B,
}

impl<B: Default> Lane<B> {
    /// The same for every call.
    pub fn always(behaviour: B) -> Self {
        Self { default: behaviour, ..Self::default() }
    }

    /// These for the first calls, an answer for every call after them.
    pub fn first(behaviours: impl IntoIterator<Item = B>) -> Self {
        Self { queue: behaviours.into_iter().collect(), ..Self::default() }
    }
}

/// A behaviour for the requests that speak of certain things.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule<B> {
    /// All of these must occur in what the request asks, in any case.
    pub words: Vec<String>,
    /// What such a request gets.
    pub behaviour: B,
}

/// Behaviours by chance. The same seed gives the same sequence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix<B> {
    /// Where the sequence starts.
    #[serde(default)]
    pub seed: u64,
    /// What happens, and how often. What the shares leave over goes to the default.
    pub parts: Vec<Part<B>>,
}

/// One behaviour of a mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part<B> {
    /// Its share of the calls, from 0 to 1.
    pub share: f64,
    /// What such a call gets.
    pub behaviour: B,
}

/// What a chat call gets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatBehaviour {
    /// A usable answer: the schema of the request filled in, or a sentence.
    #[default]
    Answer,
    /// This text.
    Text(String),
    /// An answer, so many milliseconds later.
    DelayMs(u64),
    /// Valid JSON of another shape than asked for.
    WrongSchema,
    /// An answer that gives orders to whoever reads it, and closes tags that it did not open.
    Injection,
    /// Five megabytes of text.
    Huge,
    /// Half a text, marked as having reached the limit of tokens.
    CutOff,
    /// A reply without any answer in it.
    NoChoices,
    /// A page of HTML, with status 200.
    NotJson,
    /// Half of the JSON.
    Truncated,
    /// One byte a second.
    Trickle,
    /// Nothing, for as long as the caller cares to wait.
    Hang,
    /// The connection is closed without an answer.
    Refuse,
    /// An error.
    Status {
        /// Status code.
        code: u16,
        /// The header `Retry-After`, to the letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
        /// The message of the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl ChatBehaviour {
    /// An error with this status and nothing else to say.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None, message: None }
    }
}

/// What an embeddings call gets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedBehaviour {
    /// Vectors in which texts that share words lie close to each other.
    #[default]
    Answer,
    /// The same vector for every text, which costs nothing to compute.
    Constant,
    /// An answer, so many milliseconds later.
    DelayMs(u64),
    /// Vectors with one number too many.
    WrongDimension,
    /// `NaN` among the numbers, which JSON does not know.
    Nan,
    /// `null` among the numbers.
    Null,
    /// Vectors without a direction.
    Zero,
    /// One vector fewer than asked for.
    Fewer,
    /// All vectors, last one first, rightly numbered.
    Reversed,
    /// All vectors, every one with the number 0.
    SameIndex,
    /// Half of the JSON.
    Truncated,
    /// One byte a second.
    Trickle,
    /// Nothing, for as long as the caller cares to wait.
    Hang,
    /// The connection is closed without an answer.
    Refuse,
    /// An error.
    Status {
        /// Status code.
        code: u16,
        /// The header `Retry-After`, to the letter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<String>,
        /// The message of the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl EmbedBehaviour {
    /// An error with this status and nothing else to say.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None, message: None }
    }
}
