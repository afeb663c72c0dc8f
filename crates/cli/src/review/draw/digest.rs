//! A run at a glance: what was asked, what was answered, what happened in between, and what a verdict moves.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use reflect_api::{DigestMemory, DigestSteps, QueuedTrace, RunSignal};

use super::{DIM, Facts, MARKED, clipped, styled, wrapped};
use crate::review::desk::{Decision, Desk};

const TASK_LINES: usize = 6;
const LEAST_ANSWER_LINES: usize = 3;
const MEMORIES: usize = 4;

pub(super) fn lines(desk: &Desk, facts: &Facts, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(item) = desk.current() else { return Vec::new() };
    let digest = &item.trace.digest;
    let mut above = Vec::new();
    if let Some(decision) = item.decision {
        above.push(styled(decided(decision), facts.heading()));
    }
    above.push(styled("TASK", facts.heading()));
    above.extend(section(&digest.task, digest.task_is_cut, width, TASK_LINES));
    let mut below = Vec::new();
    if let Some(steps) = &digest.steps {
        below.extend(strip(steps, desk.step, facts, width));
    }
    if !digest.signals.is_empty() {
        below.push(signals(&digest.signals, facts, width));
    }
    if !digest.memories.is_empty() {
        below.extend(memories(&digest.memories, facts, width));
    }
    below.extend(about(&item.trace, facts, width));
    // One line for its heading, so that the rest stays in sight.
    let room = height.saturating_sub(above.len() + below.len() + 1).max(LEAST_ANSWER_LINES);
    above.push(styled("ANSWER", facts.heading()));
    match digest.answer.trim().is_empty() {
        true => above.push(styled("(empty)", DIM)),
        false => above.extend(section(&digest.answer, digest.answer_is_cut, width, room)),
    }
    above.extend(below);
    above
}

fn decided(decision: Decision) -> &'static str {
    match decision {
        Decision::Passed => "PASSED (u undoes the last verdict)",
        Decision::Failed => "FAILED (u undoes the last verdict)",
        Decision::Deferred => "DEFERRED",
        Decision::Skipped => "SKIPPED",
        Decision::NotTaken => "NOT TAKEN",
    }
}

/// A text in at most so many lines, the last of which says that there is more.
fn section(text: &str, is_cut: bool, width: usize, most: usize) -> Vec<Line<'static>> {
    let mut lines = wrapped(text, width);
    let all = lines.len();
    if all > most || is_cut {
        lines.truncate(most.saturating_sub(1).max(1));
    }
    let mut lines: Vec<Line<'static>> = lines.into_iter().map(Line::from).collect();
    if all > most || is_cut {
        lines.push(styled(clipped("… there is more: o opens the whole run", width), DIM));
    }
    lines
}

fn strip(steps: &DigestSteps, at: usize, facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let failed = steps.listed.iter().filter(|step| step.failed).count();
    let errors = match failed {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        many => format!(", {many} errors"),
    };
    let of = if steps.total == 1 { "step" } else { "steps" };
    let mut lines = vec![Line::from(vec![
        Span::styled("STEPS ", facts.heading()),
        Span::styled(clipped(&format!("{} {of}{errors}", steps.total), width.saturating_sub(6)), DIM),
    ])];
    let a_line = (width / 3).max(1);
    for (row, part) in steps.listed.chunks(a_line).enumerate() {
        let mut spans = Vec::new();
        for (column, step) in part.iter().enumerate() {
            let mark = format!("{}{}", letter(&step.kind), if step.failed { "!" } else { "" });
            let style = match (row * a_line + column == at, step.failed) {
                (true, _) => MARKED,
                (false, true) => facts.bad(),
                (false, false) => Style::new(),
            };
            spans.push(Span::styled(mark.clone(), style));
            spans.push(Span::raw(" ".repeat(3 - mark.len())));
        }
        lines.push(Line::from(spans));
    }
    if let Some(step) = steps.listed.get(at) {
        let said = format!("step {} {}: {}", step.step, step.kind.replace('_', " "), step.title);
        lines.push(styled(clipped(&said, width), if step.failed { facts.bad() } else { DIM }));
    }
    lines
}

/// One letter for each kind of step.
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

fn signals(signals: &[RunSignal], facts: &Facts, width: usize) -> Line<'static> {
    let words: Vec<String> = signals
        .iter()
        .map(|seen| {
            let times = if seen.count > 1 { format!(" x{}", seen.count) } else { String::new() };
            format!("{}{times}", seen.signal.replace('_', " "))
        })
        .collect();
    Line::from(vec![
        Span::styled("SIGNALS ", facts.heading()),
        Span::raw(clipped(&words.join(", "), width.saturating_sub(8))),
    ])
}

fn memories(memories: &[DigestMemory], facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::from(vec![
        Span::styled("MEMORIES USED ", facts.heading()),
        Span::styled(memories.len().to_string(), DIM),
    ])];
    for memory in memories.iter().take(MEMORIES) {
        let moves = match facts.blind {
            true => String::new(),
            false => format!(
                "{:.2} (pass {:.2}, fail {:.2}) ",
                memory.q_value, memory.q_value_after_pass, memory.q_value_after_fail
            ),
        };
        let summary = clipped(&memory.summary, width.saturating_sub(moves.len()));
        lines.push(Line::from(vec![Span::styled(moves, DIM), Span::raw(summary)]));
    }
    if memories.len() > MEMORIES {
        lines.push(styled(format!("and {} more", memories.len() - MEMORIES), DIM));
    }
    lines
}

/// Which run it is, and why it comes now.
fn about(trace: &QueuedTrace, facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let mut said = vec![trace.trace_id.to_string()];
    said.extend(trace.model.clone());
    if let Some(by) = &trace.deferred_by {
        let note = trace.deferred_note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
        said.push(format!("deferred by {by}{note}"));
    }
    if !facts.blind && !trace.reasons.is_empty() {
        let reasons: Vec<String> = trace.reasons.iter().map(|why| why.reason.replace('_', " ")).collect();
        said.push(format!("comes now: {}", reasons.join(", ")));
    }
    vec![styled(clipped(&said.join("  "), width), DIM)]
}
