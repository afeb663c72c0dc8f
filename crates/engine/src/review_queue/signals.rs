//! Signals of a run that need no understanding of its content. Pure rules.
//!
//! A signal is a hint and not a verdict: a run with an error may have recovered, and a run without one may be wrong.

use std::collections::HashMap;

use reflect_store::TypicalRun;
use reflect_trajectory::TrajectoryStep;
use reflect_types::StepKind;
use serde_json::Value;

/// The factor to the median from which the length of an answer is unusual.
const UNUSUAL_LENGTH: f64 = 5.0;
/// The factor to the median from which a number is an outlier.
const OUTLIER: f64 = 3.0;
/// A longer result is not parsed.
const LONGEST_PARSED: usize = 64 * 1024;

/// The kind of signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SignalKind {
    /// A tool reported an error.
    ToolError,
    /// A stack trace or an exception message.
    Exception,
    /// A repeated call with the same arguments.
    RepeatedCall,
    /// There is no answer.
    EmptyAnswer,
    /// The run did not finish.
    Interrupted,
    /// The answer is much shorter than usual.
    ShortAnswer,
    /// The answer is much longer than usual.
    LongAnswer,
    /// Many more messages than usual.
    ManyMessages,
    /// It took much longer than usual.
    Slow,
    /// It cost much more than usual.
    Costly,
    /// Its memories were found by words, because there was no vector.
    DegradedRetrieval,
}

impl SignalKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::ToolError,
        Self::Exception,
        Self::RepeatedCall,
        Self::EmptyAnswer,
        Self::Interrupted,
        Self::ShortAnswer,
        Self::LongAnswer,
        Self::ManyMessages,
        Self::Slow,
        Self::Costly,
        Self::DegradedRetrieval,
    ];

    /// The name of the kind in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolError => "tool_error",
            Self::Exception => "exception",
            Self::RepeatedCall => "repeated_call",
            Self::EmptyAnswer => "empty_answer",
            Self::Interrupted => "interrupted",
            Self::ShortAnswer => "short_answer",
            Self::LongAnswer => "long_answer",
            Self::ManyMessages => "many_messages",
            Self::Slow => "slow",
            Self::Costly => "costly",
            Self::DegradedRetrieval => "degraded_retrieval",
        }
    }

    /// The kind with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|signal| signal.as_str() == word)
    }

    /// Whether it is a sign of failure, not only unusual.
    pub const fn is_trouble(self) -> bool {
        matches!(
            self,
            Self::ToolError | Self::Exception | Self::RepeatedCall | Self::EmptyAnswer | Self::Interrupted
        )
    }
}

/// A signal with its number of occurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// The kind.
    pub kind: SignalKind,
    /// The number of occurrences.
    pub count: usize,
    /// The first step with the signal, counted from 1, if it belongs to a step.
    pub step: Option<usize>,
}

/// The input for signals.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The steps; `None` if the trajectory was not read.
    pub steps: Option<&'a [TrajectoryStep]>,
    /// The agent's answer.
    pub answer: Option<&'a str>,
    /// The metadata of the run.
    pub metadata: &'a Value,
    /// Whether its retrieval searched by words only.
    pub degraded: bool,
    /// The usual values of the project.
    pub usual: TypicalRun,
}

/// All signals of a run, in the order of [`SignalKind`].
pub fn signals(run: &Evidence<'_>) -> Vec<Signal> {
    let mut found = Vec::new();
    let mut note = |kind, count, step| {
        if count > 0 {
            found.push(Signal { kind, count, step });
        }
    };
    let steps = run.steps.unwrap_or_default();
    let (count, first) = seen(steps, is_tool_error);
    note(SignalKind::ToolError, count, first);
    let (count, first) = seen(steps, is_exception);
    note(SignalKind::Exception, count, first);
    let (count, first) = repeats(steps);
    note(SignalKind::RepeatedCall, count, first);
    let answer = run.answer.unwrap_or_default().trim();
    note(SignalKind::EmptyAnswer, usize::from(answer.is_empty()), None);
    let unanswered = steps.last().is_some_and(|step| step.kind == StepKind::ToolCall);
    let marked = run.metadata.pointer("/reflect/interrupted").is_some_and(|mark| !mark.is_null());
    note(SignalKind::Interrupted, usize::from(unanswered || marked), None);
    let length = answer.chars().count() as f64;
    let usual_length = run.usual.answer.filter(|_| !answer.is_empty());
    let short = usual_length.is_some_and(|usual| length * UNUSUAL_LENGTH < usual);
    note(SignalKind::ShortAnswer, usize::from(short), None);
    let long = usual_length.is_some_and(|usual| length > usual * UNUSUAL_LENGTH);
    note(SignalKind::LongAnswer, usize::from(long), None);
    let messages = steps.last().map(|step| (step.message + 1) as f64);
    note(SignalKind::ManyMessages, usize::from(is_outlier(messages, run.usual.messages)), None);
    let latency = number(run.metadata, &["latency_ms", "duration_ms"]);
    note(SignalKind::Slow, usize::from(is_outlier(latency, run.usual.latency)), None);
    let cost = number(run.metadata, &["cost_usd", "cost"]);
    note(SignalKind::Costly, usize::from(is_outlier(cost, run.usual.cost)), None);
    let marked = run.metadata.pointer("/reflect/degraded").is_some_and(|mark| !mark.is_null());
    note(SignalKind::DegradedRetrieval, usize::from(run.degraded || marked), None);
    found
}

fn seen(steps: &[TrajectoryStep], what: impl Fn(&TrajectoryStep) -> bool) -> (usize, Option<usize>) {
    let mut places = steps.iter().enumerate().filter(|(_, step)| what(step)).map(|(at, _)| at + 1);
    let first = places.next();
    (places.count() + usize::from(first.is_some()), first)
}

/// Whether a step is the result of a failed tool: a field says so, or the text starts with it.
pub(super) fn is_tool_error(step: &TrajectoryStep) -> bool {
    if step.kind != StepKind::ToolResult {
        return false;
    }
    let text = step.text();
    step.failed || begins_with_error(&text) || is_error_object(&text)
}

fn begins_with_error(text: &str) -> bool {
    let text = text.trim_start();
    let begins = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("error"));
    begins && !text[5..].starts_with(|next: char| next.is_alphanumeric() || next == '_')
}

fn is_error_object(text: &str) -> bool {
    if !text.trim_start().starts_with('{') || text.len() > LONGEST_PARSED || !text.contains("\"error\"") {
        return false;
    }
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return false };
    let says_nothing = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    object.get("error").is_some_and(|value| !says_nothing(value))
}

/// The output of tools and frameworks after an exception. Text of people and agents about errors does not count.
fn is_exception(step: &TrajectoryStep) -> bool {
    if !matches!(step.kind, StepKind::ToolResult | StepKind::Error | StepKind::Note) {
        return false;
    }
    let text = step.text();
    text.contains("Traceback (most recent call last)")
        || text.contains("panicked at ")
        || text.lines().any(names_an_exception)
}

/// `ValueError: …`, `java.lang.NullPointerException: …`.
fn names_an_exception(line: &str) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    let name = name.trim_start();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let named = name.strip_suffix("Error").or_else(|| name.strip_suffix("Exception"));
    named.is_some_and(|rest| !rest.is_empty()) && name.chars().all(is_name)
}

/// How many calls repeat an earlier one, and the first of them.
fn repeats(steps: &[TrajectoryStep]) -> (usize, Option<usize>) {
    let mut made: HashMap<(Option<&str>, &str), ()> = HashMap::new();
    let calls = steps.iter().enumerate().filter(|(_, step)| step.kind == StepKind::ToolCall);
    let again: Vec<usize> = calls
        .filter(|(_, step)| {
            made.insert((step.tool.as_deref(), step.arguments().unwrap_or_default()), ()).is_some()
        })
        .map(|(at, _)| at + 1)
        .collect();
    (again.len(), again.first().copied())
}

fn is_outlier(number: Option<f64>, usual: Option<f64>) -> bool {
    matches!((number, usual), (Some(number), Some(usual)) if usual > 0.0 && number > usual * OUTLIER)
}

fn number(metadata: &Value, names: &[&str]) -> Option<f64> {
    names.iter().find_map(|name| metadata.get(*name)?.as_f64())
}
