//! A trajectory as a client sent it.
//!
//! Messages are kept as the JSON text they arrived in. Nothing is renamed, reordered or rounded, because frameworks put
//! fields into messages that this parser does not know.

use std::borrow::Cow;

use reflect_types::{MAX_DEPTH, PartForm, StepKind, json_cost};
use serde_json::value::RawValue;

use crate::message::{MAX_PARSED_VALUES, Turn};
use crate::names::ASSISTANT;

/// The most messages one trajectory may have.
pub const MAX_MESSAGES: usize = 20_000;
/// The most JSON values one trajectory may have.
pub const MAX_VALUES: usize = 1_000_000;

/// The messages of one run, as a JSON array of objects.
///
/// ```
/// use reflect_trajectory::SentTrajectory;
///
/// let sent = serde_json::from_str(r#"[{"role":"assistant","content":"42"}]"#).unwrap();
/// let trajectory = SentTrajectory::from_wire(sent).unwrap();
/// assert_eq!(trajectory.messages(), 1);
/// assert_eq!(trajectory.final_response(), Some("42"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTrajectory {
    json: String,
    messages: usize,
    final_response: Option<String>,
}

/// Why something cannot be a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrajectoryError {
    /// Numbers, booleans and null say nothing about a run.
    #[error("must be an array of messages, or a text")]
    WrongType,
    /// A text with a broken escape, such as half a surrogate pair.
    #[error("is not valid text: {0}")]
    BrokenText(String),
    /// More than [`MAX_MESSAGES`].
    #[error("has {0} messages, at most 20000 are taken")]
    TooManyMessages(usize),
    /// More than [`MAX_VALUES`].
    #[error("has about {0} values, at most 1000000 are taken; send large data inside messages as text")]
    TooManyValues(usize),
}

impl SentTrajectory {
    /// Reads a trajectory from what a client sent: an array of messages, one message, the JSON text
    /// of either, or any other text, which counts as the one thing the assistant said.
    pub fn from_wire(sent: &RawValue) -> Result<Self, TrajectoryError> {
        let text = sent.get();
        match text.as_bytes().first() {
            Some(b'"') => {
                let text: String = serde_json::from_str(text).map_err(broken)?;
                Self::from_text(text)
            }
            Some(b'[' | b'{') => Self::from_json(text),
            _ => Err(TrajectoryError::WrongType),
        }
    }

    fn from_text(text: String) -> Result<Self, TrajectoryError> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Self::from_json("[]");
        }
        if trimmed.starts_with(['[', '{']) {
            let cost = json_cost(trimmed.as_bytes());
            if cost.depth <= MAX_DEPTH && serde_json::from_str::<&RawValue>(trimmed).is_ok() {
                // The reader of the request has counted other trajectories, but not the inside of a text.
                return match cost.exceeds(MAX_VALUES) {
                    true => Err(TrajectoryError::TooManyValues(cost.values)),
                    false => Self::from_json(trimmed),
                };
            }
        }
        Ok(Self { json: format!("[{}]", said(&text)), messages: 1, final_response: Some(text) })
    }

    /// `json` is an array or an object.
    fn from_json(json: &str) -> Result<Self, TrajectoryError> {
        let items: Vec<&RawValue> = if json.starts_with('{') {
            vec![serde_json::from_str(json).map_err(broken)?]
        } else {
            serde_json::from_str(json).map_err(broken)?
        };
        if items.len() > MAX_MESSAGES {
            return Err(TrajectoryError::TooManyMessages(items.len()));
        }
        let as_sent = json.starts_with('[') && items.iter().all(|item| item.get().starts_with('{'));
        if !as_sent {
            // What is read is what is stored, so that reading it again gives the same.
            return Self::from_json(&array_of_messages(&items));
        }
        let final_response = items.iter().rev().find_map(|item| assistant_text(item));
        Ok(Self { json: json.to_owned(), messages: items.len(), final_response })
    }

    /// The JSON array of message objects.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// How many messages there are.
    pub const fn messages(&self) -> usize {
        self.messages
    }

    /// What the assistant said last, if it said anything.
    pub fn final_response(&self) -> Option<&str> {
        self.final_response.as_deref()
    }
}

fn broken(error: serde_json::Error) -> TrajectoryError {
    TrajectoryError::BrokenText(error.to_string())
}

/// Items that are no objects become messages of the assistant, so that readers meet one shape only.
fn array_of_messages(items: &[&RawValue]) -> String {
    let messages: Vec<Cow<'_, str>> = items
        .iter()
        .map(|item| match item.get().as_bytes().first() {
            Some(b'{') => Cow::Borrowed(item.get()),
            Some(b'"') => Cow::Owned(format!(r#"{{"role":"assistant","content":{}}}"#, item.get())),
            _ => Cow::Owned(said(item.get())),
        })
        .collect();
    format!("[{}]", messages.join(","))
}

fn said(text: &str) -> String {
    // Written out, because the order of a map's keys depends on a feature that another crate may switch on.
    format!(r#"{{"role":"assistant","content":{}}}"#, serde_json::Value::from(text))
}

fn assistant_text(item: &RawValue) -> Option<String> {
    let json = item.get();
    // Most messages of a long run are not the assistant's. They are not parsed.
    if !ASSISTANT.iter().any(|role| json.contains(&format!("\"{role}\""))) {
        return None;
    }
    if json_cost(json.as_bytes()).exceeds(MAX_PARSED_VALUES) {
        return None;
    }
    let turn = Turn::read(serde_json::from_str(json).ok()?);
    let said = turn.steps.iter().filter(|step| step.kind == StepKind::Assistant);
    let parts = said.flat_map(|step| &step.parts);
    let texts = parts.filter(|part| part.label.is_none() && part.form == PartForm::Text);
    let text = texts.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> Result<SentTrajectory, TrajectoryError> {
        let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
        SentTrajectory::from_wire(&raw)
    }

    #[test]
    fn an_array_of_messages_is_kept_to_the_letter() {
        let sent = r#"[ {"role": "user","n": 1.10, "b":2,"a":1}, {"role":"tool","content":null} ]"#;
        let trajectory = read(sent).unwrap();
        assert_eq!(trajectory.json(), sent);
        assert_eq!(trajectory.messages(), 2);
        assert_eq!(trajectory.final_response(), None);
    }

    #[test]
    fn json_text_counts_as_the_messages_it_holds() {
        let trajectory = read(r#""[{\"role\":\"assistant\",\"content\":\"yes\"}]""#).unwrap();
        assert_eq!(trajectory.json(), r#"[{"role":"assistant","content":"yes"}]"#);
        assert_eq!(trajectory.final_response(), Some("yes"));
    }

    #[test]
    fn plain_text_is_what_the_assistant_said() {
        let trajectory = read(r#""it \"works\" é""#).unwrap();
        assert_eq!(trajectory.json(), r#"[{"role":"assistant","content":"it \"works\" é"}]"#);
        assert_eq!(trajectory.final_response(), Some("it \"works\" é"));
    }

    #[test]
    fn text_that_only_looks_like_json_is_plain_text() {
        assert_eq!(read(r#""[not json""#).unwrap().final_response(), Some("[not json"));
    }

    #[test]
    fn json_text_that_is_nested_too_deep_is_plain_text() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let trajectory = read(&serde_json::to_string(&deep).unwrap()).unwrap();
        assert_eq!(trajectory.final_response(), Some(deep.as_str()));
    }

    #[test]
    fn an_empty_trajectory_is_legal_in_both_forms() {
        assert_eq!(read("[]").unwrap().messages(), 0);
        assert_eq!(read(r#""""#).unwrap().json(), "[]");
    }

    #[test]
    fn items_that_are_no_objects_become_messages() {
        let trajectory = read(r#"["hello", 7]"#).unwrap();
        let messages: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(trajectory.json()).unwrap();
        assert_eq!(messages[0]["content"], "hello");
        assert_eq!(messages[1]["content"], "7");
    }

    #[test]
    fn what_is_stored_reads_as_what_was_sent() {
        for sent in [r#"["yes", ""]"#, r#"["yes", 7]"#, r#"{"role":"assistant","content":"x"}"#, r#"[[]]"#] {
            let kept = read(sent).unwrap();
            assert_eq!(read(kept.json()).unwrap(), kept, "{sent}");
        }
        assert_eq!(read(r#"["yes", ""]"#).unwrap().final_response(), Some("yes"));
        assert_eq!(read(r#"["yes", 7]"#).unwrap().final_response(), Some("7"));
    }

    #[test]
    fn the_final_response_is_the_last_assistant_message_with_text() {
        let sent = r#"[{"role":"assistant","content":"first"},
            {"role":"assistant","content":[{"type":"text","text":"second"},{"type":"image"}]},
            {"role":"assistant","content":null,"tool_calls":[]},
            {"role":"tool","content":"output"}]"#;
        assert_eq!(read(sent).unwrap().final_response(), Some("second"));
    }

    #[test]
    fn the_final_response_is_found_in_every_format() {
        for sent in [
            r#"[{"type":"ai","data":{"content":"yes"}}]"#,
            r#"[{"type":"constructor","id":["langchain","AIMessage"],"kwargs":{"content":"yes"}}]"#,
            r#"[{"role":"model","parts":[{"text":"yes"},{"functionCall":{"name":"f"}}]}]"#,
            r#"[{"role":"assistant","content":[{"text":"yes"}]}, {"role":"user","content":"the assistant is slow"}]"#,
        ] {
            assert_eq!(read(sent).unwrap().final_response(), Some("yes"), "{sent}");
        }
    }

    #[test]
    fn scalars_and_half_surrogates_are_refused() {
        assert_eq!(read("17"), Err(TrajectoryError::WrongType));
        assert_eq!(read("null"), Err(TrajectoryError::WrongType));
        assert!(matches!(read(r#""\ud800""#), Err(TrajectoryError::BrokenText(_))));
    }

    #[test]
    fn too_many_messages_are_refused() {
        let many = format!("[{}]", vec!["{}"; MAX_MESSAGES + 1].join(","));
        assert_eq!(read(&many), Err(TrajectoryError::TooManyMessages(MAX_MESSAGES + 1)));
    }

    #[test]
    fn too_many_values_in_a_text_are_refused_before_they_are_parsed() {
        let many = format!("[{{}}{}]", ",0".repeat(MAX_VALUES));
        let as_text = serde_json::to_string(&many).unwrap();
        assert!(matches!(read(&as_text), Err(TrajectoryError::TooManyValues(_))));
    }

    #[test]
    fn a_message_that_is_costly_to_parse_is_kept_and_not_read() {
        let many = format!(r#"[{{"role":"assistant","content":[[]{}]}}]"#, ",[]".repeat(MAX_PARSED_VALUES));
        let trajectory = read(&many).unwrap();
        assert_eq!((trajectory.json(), trajectory.final_response()), (many.as_str(), None));
    }

    proptest! {
        #[test]
        fn whatever_text_comes_in_an_array_of_objects_goes_out(text in ".*") {
            let trajectory = read(&serde_json::to_string(&text).unwrap()).unwrap();
            let messages: Vec<serde_json::Map<String, serde_json::Value>> =
                serde_json::from_str(trajectory.json()).unwrap();
            prop_assert_eq!(messages.len(), trajectory.messages());
        }
    }
}
