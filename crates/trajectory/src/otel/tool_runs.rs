//! Connects the spans of tools with the calls that a model asked for.

use super::attributes::{canonical, plain};
use super::part::{RunPart, RunPartKind, ToolSpan};
use crate::message::Turn;
use reflect_types::StepKind;

/// Every use of a tool is compared with every call. A run has at most this many parts, so further calls have no span.
const MOST_CALLS: usize = 10_000;

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

/// The spans of tools, in the order of `parts`. `models` are the model calls with what they answered.
pub(crate) fn tool_runs<'a>(parts: &'a [RunPart], models: &[(&RunPart, Vec<Turn>)]) -> Vec<ToolRun<'a>> {
    let asked = models.iter().flat_map(|(part, turns)| asked_in(part, turns));
    let mut asked: Vec<AskedCall> = asked.take(MOST_CALLS).collect();
    let tools = parts.iter().filter(|part| part.kind == RunPartKind::Tool);
    let tools = tools.filter_map(|part| Some((part, part.tool.as_ref()?)));
    tools.map(|(part, tool)| tool_run(part, tool, &mut asked)).collect()
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
