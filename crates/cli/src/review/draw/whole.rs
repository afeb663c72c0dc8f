//! The whole trajectory, from the step that one is at. Long results of tools are folded until one stands on them.

use ratatui::style::Style;
use ratatui::text::Line;
use reflect_api::{Part, PartForm, Step, StepKind};

use super::{DIM, Facts, clipped, styled, wrapped};
use crate::review::desk::Whole;

/// As many lines of a folded result as are shown.
const FOLDED: usize = 6;

pub(super) fn lines(whole: &mut Whole, facts: &Facts, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(total) = whole.total else { return vec![styled("Reading the run …", DIM)] };
    if total == 0 {
        return vec![styled("The run has no steps.", DIM)];
    }
    let mut lines = Vec::new();
    let mut last = 0;
    for (index, step) in whole.steps.iter().enumerate().skip(whole.at) {
        lines.extend(step_lines(step, index == whole.at, total, facts, width));
        last = index + 1;
        if lines.len() >= height.saturating_add(whole.scroll) {
            break;
        }
    }
    if last == total {
        // The last line stays in sight.
        whole.scroll = whole.scroll.min(lines.len().saturating_sub(1));
    }
    lines.drain(..whole.scroll.min(lines.len()));
    lines.truncate(height);
    lines
}

fn step_lines(step: &Step, is_here: bool, total: usize, facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let failed = if step.failed { " FAILED" } else { "" };
    let title = format!("── {}/{total} {}{failed} {}", step.n + 1, kind(step.kind), step.title);
    let style = if step.failed { facts.bad() } else { facts.heading() };
    let mut lines = vec![styled(clipped(&title, width), style)];
    for part in &step.parts {
        if let Some(label) = &part.label {
            lines.push(styled(clipped(&format!("{label}:"), width), DIM));
        }
        let mut said: Vec<Line<'static>> = part_lines(part, width);
        if step.kind == StepKind::ToolResult && !is_here && said.len() > FOLDED {
            let more = said.len() - FOLDED;
            said.truncate(FOLDED);
            said.push(styled(clipped(&format!("… {more} more lines; ] goes there"), width), DIM));
        }
        lines.extend(said);
    }
    lines
}

fn part_lines(part: &Part, width: usize) -> Vec<Line<'static>> {
    if part.form == PartForm::Media {
        let what = part.media_type.as_deref().unwrap_or("media");
        return vec![styled(clipped(&format!("({what}, {} bytes)", part.size), width), DIM)];
    }
    let plain = |text: &String| wrapped(text, width).into_iter().map(|line| styled(line, Style::new()));
    match (&part.text, &part.head, &part.tail) {
        (Some(text), ..) => plain(text).collect(),
        (None, head, tail) => {
            let mut lines: Vec<Line<'static>> = head.iter().flat_map(plain).collect();
            lines.push(styled(clipped(&format!("… {} bytes in all …", part.size), width), DIM));
            lines.extend(tail.iter().flat_map(plain));
            lines
        }
    }
}

const fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::System => "system",
        StepKind::User => "user",
        StepKind::Assistant => "assistant",
        StepKind::Reasoning => "reasoning",
        StepKind::ToolCall => "tool call",
        StepKind::ToolResult => "tool result",
        StepKind::Error => "error",
        StepKind::Memory => "memories",
        StepKind::Note => "note",
    }
}
