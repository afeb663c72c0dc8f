//! The status line above the run, and below it the latest message, the input field and the keys.

use ratatui::text::{Line, Span};

use super::context::{DIM, DrawContext, MARKED, styled};
use crate::output::{clipped, wrapped};
use crate::review::state::conflict::Conflict;
use crate::review::state::text_field::TextField;
use crate::review::state::{Mode, ReviewState};
use crate::review::summary::{pace, past_tense};

pub(super) fn head(state: &ReviewState, context: &DrawContext, width: usize) -> Line<'static> {
    let mut said = format!("Review {}/{}", state.tally.decided(), state.limit);
    if let Some(pace) = pace(&state.tally, context.elapsed) {
        said.push_str(&format!("  {pace} each"));
    }
    said.push_str(&format!("  {}", context.order));
    if state.queue.remaining > 0 {
        said.push_str(&format!("  {} more", state.queue.remaining));
    }
    if context.unsent > 0 {
        said = match &context.send_error {
            Some(error) => format!("{} unsent: {error}  {said}", context.unsent),
            None => format!("{said}  {} unsent", context.unsent),
        };
    }
    styled(format!("{:width$}", clipped(&said, width)), MARKED)
}

pub(super) fn foot(
    state: &ReviewState,
    context: &DrawContext,
    width: usize,
    height: usize,
) -> Vec<Line<'static>> {
    // On a small screen the run needs the space.
    let max_lines = if height < 14 { 1 } else { 2 };
    let mut lines = Vec::new();
    if let Some(conflict) = state.conflicts.front() {
        lines.extend(
            first(wrapped(&conflict_text(conflict), width), max_lines)
                .map(|line| styled(line, context.bad())),
        );
    } else if let Some(notice) = &state.notice {
        lines.extend(first(wrapped(notice, width), max_lines).map(|line| styled(line, DIM)));
    }
    match state.mode {
        Mode::Failing => lines.push(field("What was wrong? ", state.draft(), width)),
        Mode::Writing => lines.push(field("Feedback: ", state.draft(), width)),
        Mode::Asking => lines.push(styled(clipped("Was the run right? y or n", width), context.heading())),
        Mode::Deferring => lines.push(styled(clipped("Defer for how long?", width), context.heading())),
        Mode::Reading | Mode::Help => {}
    }
    lines.extend(keys(state, context, width, max_lines));
    lines
}

fn conflict_text(conflict: &Conflict) -> String {
    let who = match &conflict.existing {
        Some(review) => format!("{} {} this run before you.", review.reviewer, past_tense(review.result)),
        None => "Another reviewer reviewed this run before you.".to_owned(),
    };
    format!("{who} Press r to replace that review, x to keep it.")
}

fn keys(state: &ReviewState, context: &DrawContext, width: usize, max_lines: usize) -> Vec<Line<'static>> {
    const READING: &[(&str, &str)] = &[
        ("y", "pass"),
        ("n", "fail"),
        ("d", "defer"),
        ("s", "skip"),
        ("u", "undo"),
        ("o", "open"),
        ("f", "feedback"),
        ("?", "keys"),
        ("q", "quit"),
        ("[ ]", "step"),
        ("e", "error"),
        ("j k", "move"),
    ];
    let shown: &[(&str, &str)] = match state.mode {
        Mode::Failing => &[("Enter", "submit fail"), ("Esc", "cancel"), ("Ctrl+E", "editor")],
        Mode::Writing => &[("Enter", "done"), ("Esc", "cancel"), ("Ctrl+E", "editor")],
        Mode::Asking => &[("y", "pass"), ("n", "fail"), ("Esc", "back")],
        Mode::Deferring => &[("h", "hour"), ("t", "tomorrow"), ("w", "week"), ("Esc", "back")],
        Mode::Help => &[("any key", "back")],
        Mode::Reading if state.trajectory.is_some() => &[
            ("[ ]", "step"),
            ("e", "error"),
            ("Down", "scroll"),
            ("o", "close"),
            ("y", "pass"),
            ("n", "fail"),
            ("?", "keys"),
        ],
        Mode::Reading => READING,
    };
    let mut lines = vec![(0, Vec::new())];
    for (key, does) in shown {
        let wide = key.chars().count() + 1 + does.chars().count() + 2;
        if lines.last().is_some_and(|(used, _)| used + wide > width + 2) {
            if lines.len() == max_lines {
                break;
            }
            lines.push((0, Vec::new()));
        }
        if let Some((used, spans)) = lines.last_mut() {
            *used += wide;
            spans.push(Span::styled((*key).to_owned(), context.heading()));
            spans.push(Span::raw(format!(" {does}  ")));
        }
    }
    lines.into_iter().map(|(_, spans)| Line::from(spans)).collect()
}

/// The input field: as much text as fits before and after the cursor.
fn field(label: &str, field: Option<&TextField>, width: usize) -> Line<'static> {
    let (before, behind) = field.map(TextField::halves).unwrap_or_default();
    let one_line = |text: &str| text.replace('\n', "⏎");
    let room = width.saturating_sub(label.chars().count() + 1);
    let before = one_line(before);
    let skip = before.chars().count().saturating_sub(room);
    let shown: String = before.chars().skip(skip).collect();
    let mut rest = behind.chars();
    let under = rest.next().map_or(' ', |letter| if letter == '\n' { '⏎' } else { letter });
    Line::from(vec![
        Span::styled(label.to_owned(), DIM),
        Span::raw(shown),
        Span::styled(under.to_string(), MARKED),
        Span::raw(one_line(rest.as_str())),
    ])
}

fn first(lines: Vec<String>, max_lines: usize) -> impl Iterator<Item = String> {
    lines.into_iter().take(max_lines)
}
