//! The full trajectory, starting at the current step. Long tool results are folded unless their step is current.

use ratatui::style::Style;
use ratatui::text::Line;
use reflect_api::{Part, PartForm, Step, StepKind};

use super::context::{DIM, DrawContext, styled};
use crate::output::{clipped, counted, wrapped};
use crate::review::state::trajectory_view::TrajectoryView;

/// How many lines of a folded tool result are shown.
const FOLDED_LINES: usize = 6;

pub(super) fn lines(
    view: &mut TrajectoryView,
    context: &DrawContext,
    width: usize,
    height: usize,
) -> Vec<Line<'static>> {
    let Some(total) = view.total else { return vec![styled("Loading the run …", DIM)] };
    if total == 0 {
        return vec![styled("The run has no steps.", DIM)];
    }
    let mut lines = Vec::new();
    let mut end = 0;
    for (index, step) in view.steps.iter().enumerate().skip(view.at) {
        lines.extend(step_lines(step, index == view.at, total, context, width));
        end = index + 1;
        if lines.len() >= height.saturating_add(view.scroll) {
            break;
        }
    }
    if end == total {
        // At least the last line stays visible.
        view.scroll = view.scroll.min(lines.len().saturating_sub(1));
    }
    lines.drain(..view.scroll.min(lines.len()));
    lines.truncate(height);
    lines
}

fn step_lines(
    step: &Step,
    is_current: bool,
    total: usize,
    context: &DrawContext,
    width: usize,
) -> Vec<Line<'static>> {
    let failed = if step.failed { " FAILED" } else { "" };
    let title = format!("── {}/{total} {}{failed} {}", step.n + 1, kind_name(step.kind), step.title);
    let style = if step.failed { context.bad() } else { context.heading() };
    let mut lines = vec![styled(clipped(&title, width), style)];
    for part in &step.parts {
        if let Some(label) = &part.label {
            lines.push(styled(clipped(&format!("{label}:"), width), DIM));
        }
        let mut shown = part_lines(part, width);
        if step.kind == StepKind::ToolResult && !is_current && shown.len() > FOLDED_LINES {
            let hidden = counted(shown.len() - FOLDED_LINES, "more line");
            shown.truncate(FOLDED_LINES);
            shown.push(styled(
                clipped(&format!("… {hidden}: press ] until this step is at the top"), width),
                DIM,
            ));
        }
        lines.extend(shown);
    }
    lines
}

fn part_lines(part: &Part, width: usize) -> Vec<Line<'static>> {
    if part.form == PartForm::Media {
        let media_type = part.media_type.as_deref().unwrap_or("media");
        return vec![styled(clipped(&format!("({media_type}, {} bytes)", part.size), width), DIM)];
    }
    let plain = |text: &String| wrapped(text, width).into_iter().map(|line| styled(line, Style::new()));
    match (&part.text, &part.head, &part.tail) {
        (Some(text), ..) => plain(text).collect(),
        (None, head, tail) => {
            let mut lines: Vec<Line<'static>> = head.iter().flat_map(plain).collect();
            lines.push(styled(clipped(&format!("… {} bytes in total …", part.size), width), DIM));
            lines.extend(tail.iter().flat_map(plain));
            lines
        }
    }
}

const fn kind_name(kind: StepKind) -> &'static str {
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
