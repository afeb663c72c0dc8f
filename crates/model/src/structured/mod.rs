//! Structured output: a request with a schema, a check of the type, and one repair attempt.
//!
//! A provider may guarantee JSON of a schema and still return something else, and many guarantee nothing. Therefore the
//! answer is searched for JSON and parsed. If that fails, the model gets the error and is called again. If no answer
//! can be parsed, the error contains the last text and the usage.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::json::{Found, complete_part, find_all};
use crate::{ChatMessage, ChatRequest, ModelError, OutputSchema, TextModel, Usage};

/// The number of repair attempts. More than one rarely helps.
pub const DEFAULT_REPAIRS: u32 = 1;

/// The maximum length of an invalid answer in a repair prompt, in characters.
const SHOWN_AGAIN: usize = 16_000;

/// How an answer became a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// From the first answer.
    Clean,
    /// From a later answer, after a repair prompt.
    Repaired,
    /// From the complete part of an answer that reached the token limit.
    CutOff,
}

/// A parsed answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured<T> {
    /// The value.
    pub value: T,
    /// How the answer became a value.
    pub reading: Reading,
    /// The usage of all calls.
    pub usage: Usage,
    /// The number of calls.
    pub calls: u32,
    /// The model that answered, as the provider names it.
    pub model: String,
}

/// No answer could be parsed.
///
/// If `error` is [`Remedy::Unreadable`](crate::Remedy::Unreadable) and `raw` has a text, the model answered in another
/// shape, and the caller can still show the text. Any other remedy means that a call failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the model gave no usable answer in {calls} calls")]
pub struct StructuredError {
    /// The last error.
    #[source]
    pub error: ModelError,
    /// The last text, unchanged. `None` if no call returned one.
    pub raw: Option<String>,
    /// The usage of all calls.
    pub usage: Usage,
    /// The number of calls.
    pub calls: u32,
}

impl From<StructuredError> for ModelError {
    fn from(failed: StructuredError) -> Self {
        failed.error
    }
}

impl OutputSchema {
    /// The schema of a Rust type. Its name is reduced to the characters that every provider accepts.
    ///
    /// ```
    /// use reflect_model::OutputSchema;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Verdict {
    ///     passed: bool,
    /// }
    ///
    /// let schema = OutputSchema::of::<Verdict>();
    /// assert_eq!(schema.name, "Verdict");
    /// assert_eq!(schema.schema["required"][0], "passed");
    /// ```
    pub fn of<T: JsonSchema>() -> Self {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let name = T::schema_name().chars().map(allowed).take(64).collect();
        Self { name, schema: schemars::schema_for!(T).to_value() }
    }
}

/// Structured output of any [`TextModel`], also behind an `Arc<dyn TextModel>`.
pub trait TextModelExt: TextModel {
    /// Asks for a value of a type that is parsed from a JSON object: a struct, or an enum with named fields.
    ///
    /// ```
    /// # use async_trait::async_trait;
    /// # use reflect_model::{ChatAnswer, ModelError, Usage};
    /// use std::sync::Arc;
    ///
    /// use reflect_model::{ChatMessage, ChatRequest, Reading, TextModel, TextModelExt};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Verdict {
    ///     passed: bool,
    /// }
    ///
    /// # struct Judge;
    /// # #[async_trait]
    /// # impl TextModel for Judge {
    /// #     fn name(&self) -> &str {
    /// #         "judge"
    /// #     }
    /// #     async fn chat(&self, request: ChatRequest) -> Result<ChatAnswer, ModelError> {
    /// #         let text = if request.messages.len() > 1 { r#"{"passed": true}"# } else { "Well." };
    /// #         let (model, usage) = (self.name().to_owned(), Usage::default());
    /// #         Ok(ChatAnswer { text: text.to_owned(), model, usage, cut_off: false })
    /// #     }
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// // This judge says "Well." first, and gives JSON when it is told that this cannot be used.
    /// let model: Arc<dyn TextModel> = Arc::new(Judge);
    /// let request = ChatRequest::new(vec![ChatMessage::user("Did it pass?")]);
    ///
    /// let verdict = model.structured::<Verdict>(request).await.unwrap();
    /// assert!(verdict.value.passed);
    /// assert_eq!(verdict.reading, Reading::Repaired);
    /// # });
    /// ```
    fn structured<T>(
        &self,
        request: ChatRequest,
    ) -> impl Future<Output = Result<Structured<T>, StructuredError>> + Send
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        self.structured_with(request, OutputSchema::of::<T>(), DEFAULT_REPAIRS)
    }

    /// The same with the caller's schema and a maximum number of repairs. 0 means one call.
    fn structured_with<T>(
        &self,
        request: ChatRequest,
        schema: OutputSchema,
        repairs: u32,
    ) -> impl Future<Output = Result<Structured<T>, StructuredError>> + Send
    where
        T: DeserializeOwned + Send,
    {
        ask(self, request, schema, repairs)
    }
}

impl<M: TextModel + ?Sized> TextModelExt for M {}

async fn ask<T: DeserializeOwned>(
    model: &(impl TextModel + ?Sized),
    mut request: ChatRequest,
    schema: OutputSchema,
    repairs: u32,
) -> Result<Structured<T>, StructuredError> {
    let keys = expected_keys(&schema.schema);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let max_tokens = request.max_tokens;
    request.schema = Some(schema);
    let (mut usage, mut raw, mut calls) = (Usage::default(), None, 0);
    loop {
        calls += 1;
        let answer = match model.chat(request.clone()).await {
            Ok(answer) => answer,
            Err(error) => return Err(StructuredError { error, raw, usage, calls }),
        };
        usage += answer.usage;
        let problem = match read(&answer.text, &keys) {
            Ok(value) => {
                let reading = if calls == 1 { Reading::Clean } else { Reading::Repaired };
                return Ok(Structured { value, reading, usage, calls, model: answer.model });
            }
            Err(_) if answer.cut_off => {
                // A second answer may be truncated too. The type decides whether the complete part is enough.
                if let Some(value) = read_part(&answer.text, &keys) {
                    return Ok(Structured {
                        value,
                        reading: Reading::CutOff,
                        usage,
                        calls,
                        model: answer.model,
                    });
                }
                cut_off(max_tokens)
            }
            Err(problem) => problem,
        };
        if calls > repairs {
            let error = ModelError::unreadable(format!("the answer of {} {problem}", answer.model));
            return Err(StructuredError { error, raw: Some(answer.text), usage, calls });
        }
        // Providers reject messages without text.
        if !answer.text.trim().is_empty() {
            let shown = answer.text.chars().take(SHOWN_AGAIN).collect::<String>();
            request.messages.push(ChatMessage::assistant(shown));
        }
        request.messages.push(ChatMessage::user(format!(
            "That answer cannot be used: it {problem}. Send the whole answer again as one JSON object that \
             matches the schema, and nothing else."
        )));
        raw = Some(answer.text);
    }
}

/// Parses the best object that has the type. Otherwise returns the error of the best object.
fn read<T: DeserializeOwned>(text: &str, keys: &[&str]) -> Result<T, String> {
    let mut found = find_all(text, keys);
    // An empty object matches every type with only optional fields. It is used only if no other object matches.
    if found.iter().any(|found| found.keys > 0) {
        found.retain(|found| found.keys > 0);
    } else {
        found.truncate(1);
    }
    let mut problem = None;
    for Found { object, .. } in found {
        let object = Value::Object(object).to_string();
        match serde_json::from_str(&object) {
            Ok(value) => return Ok(value),
            Err(error) => {
                problem.get_or_insert_with(|| wrong_type(&object, &error));
            }
        }
    }
    Err(problem.unwrap_or_else(|| "holds no complete JSON object".to_owned()))
}

/// Parses the complete part of a truncated answer, if it has the type and is not empty.
fn read_part<T: DeserializeOwned>(text: &str, keys: &[&str]) -> Option<T> {
    let object = complete_part(text)?;
    let has_some = keys.iter().any(|key| object.contains_key(*key));
    has_some.then(|| serde_json::from_value(Value::Object(object)).ok()).flatten()
}

/// The parser's message, with an excerpt of the position. A model cannot use line and column numbers.
fn wrong_type(object: &str, error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let end =
        (0..=error.column().min(object.len())).rev().find(|&at| object.is_char_boundary(at)).unwrap_or(0);
    let before = object[..end].chars().rev().take(60).collect::<Vec<_>>();
    let excerpt = before.into_iter().rev().collect::<String>();
    format!("does not match the schema: {message}, near `{excerpt}`")
}

fn cut_off(max_tokens: Option<u32>) -> String {
    let limit = max_tokens.map(|limit| format!(" of {limit} tokens")).unwrap_or_default();
    format!("reached the limit{limit} before the JSON was complete; it has to be shorter")
}

/// The field names of a struct. For an enum, those of all variants.
fn expected_keys(schema: &Value) -> Vec<String> {
    let variants = ["oneOf", "anyOf"].into_iter().filter_map(|kind| schema.get(kind)?.as_array()).flatten();
    let shapes = std::iter::once(schema).chain(variants);
    let names =
        shapes.filter_map(|shape| shape.get("properties")?.as_object()).flat_map(|fields| fields.keys());
    let mut names: Vec<String> = names.cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
