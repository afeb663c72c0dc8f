//! Builds a run from its parts.

use std::collections::{BTreeMap, HashMap, HashSet};

use reflect_types::StepKind;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::history::{AnswerReader, History, read_message};
use super::message_json::text_of;
use super::part::{RunAttributes, RunPart, RunPartKind, TokenUsage};
use super::tool_runs::{ToolRun, tool_runs};
use crate::memories;
use crate::message::Turn;

/// A framework, its adapter and the client of a provider may each report one call. More are not real.
const MOST_AROUND: usize = 16;

/// A run that was built from spans.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AssembledRun {
    /// What the agent was asked to do.
    pub task: String,
    /// Its messages, in the form of OpenAI's chat.
    pub messages: Vec<Map<String, Value>>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The tokens of all model calls.
    pub usage: Option<TokenUsage>,
    /// Why the run failed, if its root or its last model call did.
    pub error: Option<String>,
    /// What its spans say about the whole run.
    pub context: RunAttributes,
    /// When it started, in nanoseconds since 1970.
    pub start: u64,
    /// When it ended.
    pub end: u64,
}

/// Builds a run from its parts, in any order. `None` if they have no messages and no tools: most programs send none
/// unless they are told to.
///
/// ```
/// use reflect_trajectory::otel::{OtelSpan, assemble, read_span};
///
/// let mut span = OtelSpan::default();
/// for (name, value) in [
///     ("gen_ai.operation.name", "chat"),
///     ("gen_ai.input.messages", r#"[{"role":"user","parts":[{"type":"text","content":"How warm is it?"}]}]"#),
///     ("gen_ai.output.messages", r#"[{"role":"assistant","parts":[{"type":"text","content":"12 degrees"}]}]"#),
/// ] {
///     span.attributes.insert(name.to_owned(), value.into());
/// }
/// let run = assemble(vec![read_span(&span).unwrap()]).unwrap();
/// assert_eq!((run.task.as_str(), run.messages.len()), ("How warm is it?", 2));
/// ```
pub fn assemble(parts: Vec<RunPart>) -> Option<AssembledRun> {
    let mut parts = with_events(parts);
    // The same order for every arrival.
    parts.sort_by(|one, other| {
        one.start.cmp(&other.start).then(other.end.cmp(&one.end)).then(one.span.cmp(&other.span))
    });
    let root = root_of(&parts)?;
    let models = model_calls(&parts);
    let history = history_of(&parts, root, &models);
    if history.is_empty() {
        return None;
    }
    let mut context = root.context.clone();
    for part in &parts {
        context.fill_from(&part.context);
    }
    let usages = models.iter().filter_map(|(part, _)| part.usage);
    let last = models.iter().max_by_key(|(part, _)| part.end).map(|(part, _)| *part);
    Some(AssembledRun {
        task: task_of(&context, &parts, root, &models),
        messages: history.into_messages(),
        model: models.iter().rev().find_map(|(part, _)| part.model.clone()),
        usage: usages.reduce(|sum, usage| TokenUsage {
            input_tokens: sum.input_tokens.saturating_add(usage.input_tokens),
            output_tokens: sum.output_tokens.saturating_add(usage.output_tokens),
        }),
        error: root.error.clone().or_else(|| last.and_then(|part| part.error.clone())),
        context,
        start: parts.iter().map(|part| part.start).min().unwrap_or_default(),
        end: parts.iter().map(|part| part.end).max().unwrap_or_default(),
    })
}

/// Adds the messages of events to their spans. Events whose span did not arrive become a model call.
fn with_events(parts: Vec<RunPart>) -> Vec<RunPart> {
    let (mut events, mut spans): (Vec<RunPart>, Vec<RunPart>) =
        parts.into_iter().partition(|part| part.kind == RunPartKind::Event);
    events.sort_by_key(|event| (event.start, event.place));
    let mut by_span: BTreeMap<String, RunPart> = BTreeMap::new();
    for event in events {
        let of_span = by_span.entry(event.span.clone()).or_insert_with(|| RunPart {
            kind: RunPartKind::Model,
            span: event.span.clone(),
            start: event.start,
            // Not the root, whose name and state are not known.
            parent: Some(String::new()),
            ..RunPart::default()
        });
        of_span.end = event.end;
        of_span.input.extend(event.input);
        of_span.output.extend(event.output);
        of_span.model = of_span.model.take().or(event.model);
    }
    for span in &mut spans {
        let Some(events) = by_span.remove(&span.span) else { continue };
        if span.kind == RunPartKind::Other {
            span.kind = RunPartKind::Model;
        }
        if span.input.is_empty() {
            span.input = events.input;
        }
        if span.output.is_empty() {
            span.output = events.output;
        }
        span.model = span.model.take().or(events.model);
    }
    spans.extend(by_span.into_values());
    spans
}

/// The span without a parent, else the first whose parent did not arrive, agents before others.
fn root_of(parts: &[RunPart]) -> Option<&RunPart> {
    let spans: HashSet<&str> = parts.iter().map(|part| part.span.as_str()).collect();
    let is_top = |part: &&RunPart| part.parent.as_deref().is_none_or(|parent| !spans.contains(parent));
    let tops = || parts.iter().filter(is_top);
    let root = tops().find(|part| part.parent.is_none());
    root.or_else(|| tops().find(|part| part.kind == RunPartKind::Agent))
        .or_else(|| tops().next())
        .or(parts.first())
}

/// The model calls with their answers. Of two spans about one call, such as those of a framework and of a provider's
/// client, the inner one counts, and the one that has messages.
fn model_calls(parts: &[RunPart]) -> Vec<(&RunPart, Vec<Turn>)> {
    let by_span: HashMap<&str, &RunPart> = parts.iter().map(|part| (part.span.as_str(), part)).collect();
    let models = || parts.iter().filter(|part| part.kind == RunPartKind::Model);
    let speaking = || models().filter(|part| says_something(part));
    let outer: HashSet<&str> = speaking().flat_map(|part| models_around(part, &by_span)).collect();
    let is_silent = speaking().next().is_none();
    let counts = |part: &&RunPart| {
        let reports = says_something(part) || part.error.is_some() || is_silent;
        reports && !outer.contains(part.span.as_str())
    };
    let mut answers = AnswerReader::default();
    let mut answer = |part: &RunPart| part.output.iter().map_while(|message| answers.read(message)).collect();
    models().filter(counts).map(|part| (part, answer(part))).collect()
}

/// The model calls around this one, without anything between. None if ids, which come from clients, form a circle.
fn models_around<'a>(inner: &RunPart, by_span: &HashMap<&str, &'a RunPart>) -> Vec<&'a str> {
    let mut around: Vec<&str> = Vec::new();
    let mut parent = inner.parent.as_deref();
    while let Some(span) = parent.and_then(|parent| by_span.get(parent)) {
        if span.kind != RunPartKind::Model || around.len() == MOST_AROUND {
            break;
        }
        if span.span == inner.span || around.contains(&span.span.as_str()) {
            return Vec::new();
        }
        around.push(span.span.as_str());
        parent = span.parent.as_deref();
    }
    around
}

fn says_something(part: &RunPart) -> bool {
    !part.input.is_empty() || !part.output.is_empty()
}

/// What happens at one moment of a run.
enum Moment<'a> {
    Request(&'a [Box<RawValue>]),
    Model(&'a RunPart, &'a [Turn]),
    Call(&'a ToolRun<'a>),
    Result(&'a ToolRun<'a>),
}

fn history_of(parts: &[RunPart], root: &RunPart, models: &[(&RunPart, Vec<Turn>)]) -> History {
    let tools = tool_runs(parts, models);
    // An answer comes before the calls that it asks for, and a call before its result.
    let mut moments: Vec<(u64, u8, Moment<'_>)> = Vec::new();
    let agent = agent_with_messages(parts, root);
    let only_agent = agent.filter(|_| !models.iter().any(|(part, _)| says_something(part)));
    if let Some(agent) = only_agent {
        moments.push((agent.start, 0, Moment::Request(&agent.input)));
    }
    for (part, turns) in models {
        moments.push((part.end, 0, Moment::Model(part, turns)));
    }
    for run in &tools {
        moments.push((run.called_at, 1, Moment::Call(run)));
        moments.push((run.ended_at, 2, Moment::Result(run)));
    }
    moments.sort_by_key(|(at, rank, _)| (*at, *rank));
    let mut history = History::default();
    for (at, _, moment) in moments {
        match moment {
            Moment::Request(input) => history.request(input, at),
            Moment::Model(part, turns) => {
                history.request(&part.input, part.start);
                history.answer(part, turns);
            }
            Moment::Call(run) => history.call(run),
            Moment::Result(run) => history.result(run),
        }
    }
    if let Some(agent) = agent.filter(|_| only_agent.is_some() || !history.has_answer()) {
        history.request(&agent.output, agent.end);
    }
    if let Some(error) = root.error.as_deref().filter(|_| !history.is_empty()) {
        history.error(error, root.end);
    }
    history
}

/// The outermost agent whose messages were sent.
fn agent_with_messages<'a>(parts: &'a [RunPart], root: &'a RunPart) -> Option<&'a RunPart> {
    let agents = parts.iter().filter(|part| part.kind == RunPartKind::Agent);
    std::iter::once(root).chain(agents).find(|part| part.kind == RunPartKind::Agent && says_something(part))
}

/// What the application says, else the last message of the user in the first request: earlier ones are history.
fn task_of(
    context: &RunAttributes,
    parts: &[RunPart],
    root: &RunPart,
    models: &[(&RunPart, Vec<Turn>)],
) -> String {
    let agent = agent_with_messages(parts, root).map(|agent| agent.input.as_slice());
    let first = models.iter().map(|(part, _)| part.input.as_slice()).find(|input| !input.is_empty());
    let asked = || first.into_iter().chain(agent).find_map(last_user_text);
    let name = || Some(root.name.clone()).filter(|name| !name.trim().is_empty());
    context.task.clone().or_else(asked).or_else(name).unwrap_or_else(|| "unnamed run".to_owned())
}

fn last_user_text(input: &[Box<RawValue>]) -> Option<String> {
    input.iter().rev().find_map(|message| {
        let steps = read_message(message).steps.into_iter().filter(|step| step.kind == StepKind::User);
        // Memories that were pasted into the task are no part of it.
        let texts = steps.flat_map(memories::apart).filter(|step| step.kind == StepKind::User);
        let mut texts = texts.map(|step| text_of(&step).trim().to_owned());
        texts.find(|text| !text.is_empty())
    })
}
