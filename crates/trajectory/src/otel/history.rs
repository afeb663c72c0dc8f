//! The messages of a run, each once, although every call of a model repeats the conversation so far.
//!
//! A step of a request is new if the request has it more often than the run so far. So a text that a user sends twice is
//! there twice, and a conversation that was cut or that ran beside another one loses nothing but exact copies.

use std::collections::HashMap;
use std::mem;

use reflect_types::{StepKind, json_cost};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::attributes::{MOST_PARSED, canonical, plain};
use super::message_json::{self, Message, messages_of, text_of, timestamp};
use super::part::RunPart;
use super::tool_runs::ToolRun;
use crate::message::{MAX_PARSED_VALUES, Turn};
use crate::sent::MAX_MESSAGES;
use crate::step::TrajectoryStep;

/// One more than a run may have, so that it is refused.
const MOST_MESSAGES: usize = MAX_MESSAGES + 1;
/// How many failures are compared with later ones.
const MOST_ERRORS: usize = 100;

/// The messages so far.
#[derive(Default)]
pub(crate) struct History {
    messages: Vec<Message>,
    seen: HashMap<String, usize>,
    /// Where the results are that came from the spans of tools, by the id of the call.
    results: HashMap<String, usize>,
    errors: Vec<String>,
    /// How many JSON values the messages have that came from requests.
    values: usize,
}

/// Reads the answers of models, which are kept until the run is built. So their number is limited, and that of their values.
#[derive(Default)]
pub(crate) struct AnswerReader {
    turns: usize,
    values: usize,
}

impl AnswerReader {
    /// Reads the next one. `None` after as many as a run may have messages: such a run is refused.
    pub(crate) fn read(&mut self, message: &RawValue) -> Option<Turn> {
        self.turns += 1;
        self.values += json_cost(message.get().as_bytes()).values;
        if self.turns > MOST_MESSAGES {
            None
        } else if self.values > MAX_PARSED_VALUES {
            Some(Turn::read(json!({ "role": "assistant", "content": message.get() })))
        } else {
            Some(read_message(message))
        }
    }
}

impl History {
    pub(crate) fn into_messages(self) -> Vec<Message> {
        self.messages
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Whether the assistant has said anything.
    pub(crate) fn has_answer(&self) -> bool {
        let mut answers = self.messages.iter().filter(|message| message["role"] == "assistant");
        answers.any(|message| message["content"].as_str().is_none_or(|content| !content.is_empty()))
    }

    /// Adds the messages of a request that are new.
    pub(crate) fn request(&mut self, input: &[Box<RawValue>], at: u64) {
        let mut asked: HashMap<String, usize> = HashMap::new();
        let mut results = Vec::new();
        for message in input {
            if self.messages.len() >= MOST_MESSAGES {
                break;
            }
            let Turn { role, steps } = read_message(message);
            let mut new = Vec::new();
            for step in steps {
                let Some(mark) = mark_of(&step) else { continue };
                let count = asked.entry(mark.clone()).or_default();
                *count += 1;
                let seen = self.seen.entry(mark).or_default();
                if *count > *seen {
                    *seen = *count;
                    new.push(step);
                } else {
                    results.extend(self.replace_result(&step));
                }
            }
            if !new.is_empty() {
                let messages = self.written(message, &role, new);
                self.add(messages, at);
            }
        }
        self.reorder(&results);
    }

    /// The messages of a turn. Turns after the first 250,000 JSON values of a run become texts, as in any trajectory.
    fn written(&mut self, message: &RawValue, role: &str, steps: Vec<TrajectoryStep>) -> Vec<Message> {
        self.values += json_cost(message.get().as_bytes()).values;
        if self.values > MAX_PARSED_VALUES {
            return vec![message_json::message(role, message.get().into())];
        }
        messages_of(role, steps)
    }

    /// Adds the answer of a model, which is always new, and its failure.
    pub(crate) fn answer(&mut self, part: &RunPart, turns: &[Turn]) {
        let first = self.messages.len();
        for Turn { role, steps } in turns {
            for mark in steps.iter().filter_map(mark_of) {
                *self.seen.entry(mark).or_default() += 1;
            }
            self.add(messages_of(role, steps.clone()), part.end);
        }
        if let Some(answer) = self.messages.get_mut(first) {
            if let Some(model) = &part.model {
                answer.entry("model").or_insert_with(|| model.as_str().into());
            }
            if let Some(usage) = &part.usage {
                answer.insert("usage".to_owned(), serde_json::to_value(usage).unwrap_or_default());
            }
            answer.insert("duration_ms".to_owned(), milliseconds(part).into());
        }
        if let Some(error) = &part.error {
            self.error(error, part.end);
        }
    }

    /// Adds a failure, if it was not reported before: the spans around a failed one mostly repeat it.
    pub(crate) fn error(&mut self, text: &str, at: u64) {
        if !self.errors.iter().any(|known| known.contains(text) || text.contains(known.as_str())) {
            self.note_error(text);
            self.add(vec![message_json::error(text)], at);
        }
    }

    fn note_error(&mut self, text: &str) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(text.to_owned());
        }
    }

    /// Adds the call of a tool that no model asked for.
    pub(crate) fn call(&mut self, run: &ToolRun<'_>) {
        if let Some(id) = run.call_id.as_deref().filter(|_| !run.was_asked) {
            *self.seen.entry(call_mark(id)).or_default() += 1;
            let arguments = run.tool.arguments.as_deref().map_or_else(|| "{}".to_owned(), plain);
            self.add(vec![message_json::call(id, &run.tool.name, &arguments)], run.called_at);
        }
    }

    /// Adds the result of a tool, unless a request had it before.
    pub(crate) fn result(&mut self, run: &ToolRun<'_>) {
        let failed = run.part.error.as_deref();
        let Some(text) = run.tool.result.as_deref().map(plain).or_else(|| failed.map(str::to_owned)) else {
            return;
        };
        let (id, name) = (run.call_id.as_deref(), run.tool.name.as_str());
        let mark = result_mark(id, Some(name), &text);
        if id.is_some() && self.seen.contains_key(&mark) {
            return;
        }
        *self.seen.entry(mark).or_default() += 1;
        let mut message = message_json::result(id, Some(name), &text, failed.is_some());
        message.insert("duration_ms".to_owned(), milliseconds(run.part).into());
        if let Some(id) = id {
            self.results.insert(id.to_owned(), self.messages.len());
        }
        if let Some(error) = failed {
            self.note_error(error);
        }
        self.add(vec![message], run.ended_at);
    }

    /// What the model was sent is what counts, and not what the tool returned. Returns where the result is.
    fn replace_result(&mut self, step: &TrajectoryStep) -> Option<usize> {
        let (StepKind::ToolResult, Some(id)) = (step.kind, &step.call_id) else { return None };
        let at = self.results.remove(id)?;
        let message = self.messages.get_mut(at)?;
        let text = text_of(step);
        if !text.is_empty() {
            message.insert("content".to_owned(), text.into());
        }
        Some(at)
    }

    /// Puts results in the order in which the model was sent them: tools that run at the same time end in any order.
    fn reorder(&mut self, results: &[usize]) {
        let sent: Vec<Message> = results.iter().map(|at| mem::take(&mut self.messages[*at])).collect();
        let mut places = results.to_vec();
        places.sort_unstable();
        for (at, message) in places.into_iter().zip(sent) {
            self.messages[at] = message;
        }
    }

    fn add(&mut self, messages: Vec<Message>, at: u64) {
        let room = MOST_MESSAGES.saturating_sub(self.messages.len());
        for mut message in messages.into_iter().take(room) {
            if let Some(at) = timestamp(at) {
                message.entry("timestamp").or_insert(at);
            }
            self.messages.push(message);
        }
    }
}

/// Reads one message. One that is costly to parse is a text.
pub(crate) fn read_message(message: &RawValue) -> Turn {
    let json = message.get();
    let costly = json_cost(json.as_bytes()).exceeds(MOST_PARSED);
    let value = if costly { None } else { serde_json::from_str(json).ok() };
    Turn::read(value.unwrap_or_else(|| Value::String(json.to_owned())))
}

/// What identifies a step in a repeated conversation. `None` for one that says nothing.
fn mark_of(step: &TrajectoryStep) -> Option<String> {
    let text = text_of(step);
    match step.kind {
        StepKind::ToolCall => Some(match &step.call_id {
            Some(id) => call_mark(id),
            None => {
                let arguments = canonical(step.arguments().unwrap_or_default());
                format!("call of {}\0{arguments}\0{text}", step.tool.as_deref().unwrap_or_default())
            }
        }),
        StepKind::ToolResult => Some(result_mark(step.call_id.as_deref(), step.tool.as_deref(), &text)),
        kind => (!text.trim().is_empty()).then(|| format!("{kind:?}\0{}", text.trim())),
    }
}

fn call_mark(id: &str) -> String {
    format!("call\0{id}")
}

fn result_mark(call_id: Option<&str>, tool: Option<&str>, text: &str) -> String {
    match call_id {
        Some(id) => format!("result\0{id}"),
        None => format!("result of {}\0{}", tool.unwrap_or_default(), text.trim()),
    }
}

fn milliseconds(part: &RunPart) -> f64 {
    part.end.saturating_sub(part.start) as f64 / 1e6
}
