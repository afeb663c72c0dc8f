//! Connects the spans of tools with the calls that a model asked for.

use std::collections::HashMap;

use super::attributes::{canonical, plain};
use super::part::{RunPart, RunPartKind, ToolSpan};
use crate::message::Turn;
use reflect_types::StepKind;

/// Every use of a tool is compared with every call. A run has at most this many parts, so further calls have no span.
const MOST_CALLS: usize = 10_000;
/// How many spans around one of a tool are looked at.
const MOST_AROUND: usize = 16;

/// A call in the answer of a model.
struct AskedCall {
    id: Option<String>,
    tool: String,
    arguments: String,
    /// When the model call started, and ended.
    started: u64,
    ended: u64,
    is_matched: bool,
}

/// The use of a tool, and where it belongs in the run.
pub(crate) struct ToolRun<'a> {
    pub(crate) part: &'a RunPart,
    pub(crate) tool: &'a ToolSpan,
    /// The id of the call. `None` only if a model asked for it without one.
    pub(crate) call_id: Option<String>,
    /// Whether the answer of a model contains the call.
    pub(crate) was_asked: bool,
    /// Not before the end of the model call: a streamed call may run before the stream ends.
    pub(crate) called_at: u64,
    pub(crate) ended_at: u64,
}

/// The uses of tools, in the order of `parts`. `models` are the model calls with what they answered. Of two spans about one use,
/// such as those of a framework and of the client of a tool server, the outer one counts.
pub(crate) fn tool_runs<'a>(parts: &'a [RunPart], models: &[(&RunPart, Vec<Turn>)]) -> Vec<ToolRun<'a>> {
    let asked = models.iter().flat_map(|(part, turns)| asked_in(part, turns));
    let mut asked: Vec<AskedCall> = asked.take(MOST_CALLS).collect();
    let tools = parts.iter().filter(|part| part.kind == RunPartKind::Tool);
    let tools = tools.filter_map(|part| Some((part, part.tool.as_ref()?))).enumerate();
    let by_span: HashMap<&str, &RunPart> = parts.iter().map(|part| (part.span.as_str(), part)).collect();
    let (inner, outer): (Vec<_>, Vec<_>) =
        tools.partition(|(_, (part, tool))| outermost_like(part, tool, &by_span).is_some());
    let mut run = |(place, (part, tool))| (place, tool_run(part, tool, &mut asked));
    let mut runs: Vec<(usize, ToolRun<'a>)> = outer.into_iter().map(&mut run).collect();
    // The outer ones have their calls now. What a model asked for besides is a use of its own: a tool may use itself.
    let (own, repeated): (Vec<_>, Vec<_>) = inner.into_iter().map(run).partition(|(_, run)| run.was_asked);
    let mut told: HashMap<&str, &'a ToolSpan> = HashMap::new();
    for (_, ToolRun { part, tool, .. }) in repeated.iter().filter(|(_, run)| run.tool.result.is_some()) {
        if let Some(outer) = outermost_like(part, tool, &by_span) {
            told.entry(outer.span.as_str()).or_insert(tool);
        }
    }
    for (_, run) in runs.iter_mut().filter(|(_, run)| run.tool.result.is_none()) {
        run.tool = told.get(run.part.span.as_str()).copied().unwrap_or(run.tool);
    }
    runs.extend(own);
    runs.sort_by_key(|(place, _)| *place);
    runs.into_iter().map(|(_, run)| run).collect()
}

/// The outermost span around this one that reports a use of the same tool. None if ids, which come from clients, form a circle.
fn outermost_like<'a>(
    part: &RunPart,
    tool: &ToolSpan,
    by_span: &HashMap<&str, &'a RunPart>,
) -> Option<&'a RunPart> {
    let is_like = |outer: &ToolSpan| {
        let other_call = outer.call_id.is_some() && tool.call_id.is_some() && outer.call_id != tool.call_id;
        outer.name == tool.name && !other_call
    };
    let (mut found, mut parent) = (None, part.parent.as_deref());
    for _ in 0..MOST_AROUND {
        let Some(around) = parent.and_then(|span| by_span.get(span)).copied() else { return found };
        if around.span == part.span {
            return None;
        }
        if around.tool.as_ref().is_some_and(is_like) {
            found = Some(around);
        }
        parent = around.parent.as_deref();
    }
    found
}

fn asked_in(part: &RunPart, turns: &[Turn]) -> Vec<AskedCall> {
    let steps = turns.iter().flat_map(|turn| &turn.steps).filter(|step| step.kind == StepKind::ToolCall);
    let asked = steps.map(|step| AskedCall {
        id: step.call_id.clone(),
        tool: step.tool.clone().unwrap_or_default(),
        arguments: canonical(step.arguments().unwrap_or("{}")),
        started: part.start,
        ended: part.end,
        is_matched: false,
    });
    asked.collect()
}

fn tool_run<'a>(part: &'a RunPart, tool: &'a ToolSpan, asked: &mut [AskedCall]) -> ToolRun<'a> {
    let run = ToolRun {
        part,
        tool,
        call_id: tool.call_id.clone(),
        was_asked: false,
        called_at: part.start,
        ended_at: part.end,
    };
    match find(part, tool, asked) {
        Some(call) => {
            call.is_matched = true;
            let called_at = part.start.max(call.ended);
            let ended_at = part.end.max(called_at);
            ToolRun { call_id: call.id.clone(), was_asked: true, called_at, ended_at, ..run }
        }
        None => ToolRun { call_id: run.call_id.or_else(|| Some(part.span.clone())), ..run },
    }
}

fn find<'b>(part: &RunPart, tool: &ToolSpan, asked: &'b mut [AskedCall]) -> Option<&'b mut AskedCall> {
    let arguments = tool.arguments.as_deref().map(|json| canonical(&plain(json))).unwrap_or_default();
    let may_be = |call: &AskedCall| match (&tool.call_id, &call.id) {
        (Some(id), Some(asked)) => id == asked,
        _ => !call.is_matched && call.tool == tool.name && call.started <= part.start,
    };
    let exact = asked.iter().position(|call| may_be(call) && call.arguments == arguments);
    let place = exact.or_else(|| asked.iter().position(may_be))?;
    asked.get_mut(place)
}
