//! Full-screen pages: the list of keys, and the message for an empty queue.

use ratatui::text::{Line, Span};

use super::context::{DIM, DrawContext};
use crate::output::{clipped, wrapped};
use crate::review::state::ReviewState;

const KEYS: &[(&str, &str)] = &[
    ("y 1", "pass"),
    ("n 2", "fail, with feedback"),
    ("N", "fail without feedback"),
    ("f", "write feedback first, then the verdict"),
    ("c", "write feedback about the step"),
    ("d", "defer: h one hour, t tomorrow, w one week"),
    ("s →", "skip in this session"),
    ("u z", "undo the last verdict"),
    ("j k", "next and previous run"),
    ("o", "open or close the full run"),
    ("[ ]", "previous and next step"),
    ("e", "next failed step"),
    ("↑ ↓", "scroll; Space and PgUp scroll a page"),
    ("Enter", "submit the text"),
    ("Esc", "cancel"),
    ("Ctrl+E", "write in $EDITOR"),
    ("q", "quit"),
];

pub(super) fn keys(context: &DrawContext, width: usize) -> Vec<Line<'static>> {
    let line = |(key, does): &(&str, &str)| {
        Line::from(vec![
            Span::styled(format!("{key:<8}"), context.heading()),
            Span::raw(clipped(does, width.saturating_sub(8))),
        ])
    };
    KEYS.iter().map(line).collect()
}

pub(super) fn empty(state: &ReviewState, context: &DrawContext, width: usize) -> Vec<Line<'static>> {
    let message =
        if state.is_done() { "The session is complete." } else { "No runs are waiting for a review." };
    let mut lines: Vec<Line<'static>> = wrapped(message, width)
        .into_iter()
        .map(|line| Line::from(Span::styled(line, context.good())))
        .collect();
    lines.extend(
        wrapped("Press u to undo the last verdict, q to quit. New runs appear automatically.", width)
            .into_iter()
            .map(|line| Line::from(Span::styled(line, DIM))),
    );
    lines
}
