//! The digest of a run: task, answer, steps, signals, and the memories that a verdict changes.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use reflect_api::{DigestMemory, DigestSteps, QueuedTrace, RunSignal};

use super::context::{DIM, DrawContext, MARKED, styled};
use crate::output::{clipped, wrapped};
use crate::review::state::ReviewState;
use crate::review::state::queue::Decision;

const TASK_LINES: usize = 6;
const MIN_ANSWER_LINES: usize = 3;
const MAX_MEMORIES: usize = 4;

pub(super) fn lines(
    state: &ReviewState,
    context: &DrawContext,
    width: usize,
    height: usize,
) -> Vec<Line<'static>> {
    let Some(item) = state.queue.current() else { return Vec::new() };
    let digest = &item.trace.digest;
    let mut above = Vec::new();
    if let Some(decision) = item.decision {
        above.push(styled(decided(decision), context.heading()));
    }
    above.push(styled("TASK", context.heading()));
    above.extend(section(&digest.task, digest.task_is_cut, width, TASK_LINES));
    let mut below = Vec::new();
    if let Some(steps) = &digest.steps {
        below.extend(strip(steps, state.step, context, width));
    }
    if !digest.signals.is_empty() {
        below.push(signals(&digest.signals, context, width));
    }
    if !digest.memories.is_empty() {
        below.extend(memories(&digest.memories, context, width));
    }
    below.extend(about(&item.trace, context, width));
    // The 1 is the heading of the answer.
    let room = height.saturating_sub(above.len() + below.len() + 1).max(MIN_ANSWER_LINES);
    above.push(styled("ANSWER", context.heading()));
    match digest.answer.trim().is_empty() {
        true => above.push(styled("(empty)", DIM)),
        false => above.extend(section(&digest.answer, digest.answer_is_cut, width, room)),
    }
    above.extend(below);
    above
}

fn decided(decision: Decision) -> &'static str {
    match decision {
        Decision::Passed => "PASSED (press u to undo the last verdict)",
        Decision::Failed => "FAILED (press u to undo the last verdict)",
        Decision::Deferred => "DEFERRED",
        Decision::Skipped => "SKIPPED",
        Decision::Rejected => "REJECTED BY THE SERVER",
    }
}

/// A text in at most `max_lines` lines. The last line says if there is more.
fn section(text: &str, is_cut: bool, width: usize, max_lines: usize) -> Vec<Line<'static>> {
    let mut lines = wrapped(text, width);
    let all = lines.len();
    if all > max_lines || is_cut {
        lines.truncate(max_lines.saturating_sub(1).max(1));
    }
    let mut lines: Vec<Line<'static>> = lines.into_iter().map(Line::from).collect();
    if all > max_lines || is_cut {
        lines.push(styled(clipped("… more: press o to open the full run", width), DIM));
    }
    lines
}

fn strip(steps: &DigestSteps, at: usize, context: &DrawContext, width: usize) -> Vec<Line<'static>> {
    let failed = steps.listed.iter().filter(|step| step.failed).count();
    let errors = match failed {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        many => format!(", {many} errors"),
    };
    let of = if steps.total == 1 { "step" } else { "steps" };
    let mut lines = vec![Line::from(vec![
        Span::styled("STEPS ", context.heading()),
        Span::styled(clipped(&format!("{} {of}{errors}", steps.total), width.saturating_sub(6)), DIM),
    ])];
    let a_line = (width / 3).max(1);
    for (row, part) in steps.listed.chunks(a_line).enumerate() {
        let mut spans = Vec::new();
        for (column, step) in part.iter().enumerate() {
            let mark = format!("{}{}", letter(&step.kind), if step.failed { "!" } else { "" });
            let style = match (row * a_line + column == at, step.failed) {
                (true, _) => MARKED,
                (false, true) => context.bad(),
                (false, false) => Style::new(),
            };
            spans.push(Span::styled(mark.clone(), style));
            spans.push(Span::raw(" ".repeat(3 - mark.len())));
        }
        lines.push(Line::from(spans));
    }
    if let Some(step) = steps.listed.get(at) {
        let said = format!("step {} {}: {}", step.step, step.kind.replace('_', " "), step.title);
        lines.push(styled(clipped(&said, width), if step.failed { context.bad() } else { DIM }));
    }
    lines
}

/// A letter for each kind of step.
fn letter(kind: &str) -> char {
    match kind {
        "system" => 's',
        "user" => 'u',
        "assistant" => 'a',
        "reasoning" => 'r',
        "tool_call" => 't',
        "tool_result" => '=',
        _ => '.',
    }
}

fn signals(signals: &[RunSignal], context: &DrawContext, width: usize) -> Line<'static> {
    let words: Vec<String> = signals
        .iter()
        .map(|seen| {
            let times = if seen.count > 1 { format!(" x{}", seen.count) } else { String::new() };
            format!("{}{times}", seen.signal.replace('_', " "))
        })
        .collect();
    Line::from(vec![
        Span::styled("HINTS ", context.heading()),
        Span::raw(clipped(&words.join(", "), width.saturating_sub(6))),
    ])
}

fn memories(memories: &[DigestMemory], context: &DrawContext, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(vec![
        Span::styled("MEMORIES USED ", context.heading()),
        Span::styled(memories.len().to_string(), DIM),
    ])];
    for memory in memories.iter().take(MAX_MEMORIES) {
        let moves = match context.blind {
            true => String::new(),
            false => format!(
                "{:.2} (pass {:.2}, fail {:.2}) ",
                memory.q_value, memory.q_value_after_pass, memory.q_value_after_fail
            ),
        };
        let summary = clipped(&memory.summary, width.saturating_sub(moves.len()));
        lines.push(Line::from(vec![Span::styled(moves, DIM), Span::raw(summary)]));
    }
    if memories.len() > MAX_MEMORIES {
        lines.push(styled(format!("and {} more", memories.len() - MAX_MEMORIES), DIM));
    }
    lines
}

/// The run's id and model, and why it was chosen.
fn about(trace: &QueuedTrace, context: &DrawContext, width: usize) -> Vec<Line<'static>> {
    let mut said = vec![trace.trace_id.to_string()];
    said.extend(trace.model.clone());
    if let Some(by) = &trace.deferred_by {
        let note = trace.deferred_note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        said.push(format!("deferred by {by}{note}"));
    }
    if !context.blind && !trace.reasons.is_empty() {
        let reasons: Vec<String> = trace.reasons.iter().map(|why| why.reason.replace('_', " ")).collect();
        said.push(format!("chosen for: {}", reasons.join(", ")));
    }
    vec![styled(clipped(&said.join("  "), width), DIM)]
}
