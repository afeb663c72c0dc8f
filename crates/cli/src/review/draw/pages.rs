//! What is shown when there is no run to show, and the list of keys.

use ratatui::text::{Line, Span};

use super::{DIM, Facts, clipped, wrapped};
use crate::review::desk::Desk;

const KEYS: &[(&str, &str)] = &[
    ("y 1", "pass"),
    ("n 2", "fail, and say why"),
    ("N", "fail without a word"),
    ("f", "write feedback, then the verdict"),
    ("c", "write about the step"),
    ("d", "defer: h hour, t tomorrow, w week"),
    ("s →", "skip, for me and for now"),
    ("u z", "undo the last verdict"),
    ("j k", "next and previous run, without a verdict"),
    ("o", "open the whole run, and close it"),
    ("[ ]", "step back and on"),
    ("e", "next error"),
    ("↑ ↓", "scroll; space and PgUp by pages"),
    ("Enter", "submit what is written"),
    ("Esc", "back out"),
    ("Ctrl+E", "write in $EDITOR"),
    ("q", "quit"),
];

pub(super) fn keys(facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let line = |(key, does): &(&str, &str)| {
        Line::from(vec![
            Span::styled(format!("{key:<8}"), facts.heading()),
            Span::raw(clipped(does, width.saturating_sub(8))),
        ])
    };
    KEYS.iter().map(line).collect()
}

pub(super) fn nothing(desk: &Desk, facts: &Facts, width: usize) -> Vec<Line<'static>> {
    let said =
        if desk.is_done() { "That was the last one of this session." } else { "Nothing waits for a review." };
    let mut lines: Vec<Line<'static>> =
        wrapped(said, width).into_iter().map(|line| Line::from(Span::styled(line, facts.good()))).collect();
    lines.extend(
        wrapped("u undoes the last verdict, q ends. New runs show up by themselves.", width)
            .into_iter()
            .map(|line| Line::from(Span::styled(line, DIM))),
    );
    lines
}
