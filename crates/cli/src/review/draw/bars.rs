//! The line above the run and the lines below it: how far one is, what was just done, and what keys do now.

use ratatui::text::{Line, Span};

use super::{DIM, Facts, MARKED, clipped, styled, wrapped};
use crate::review::desk::{Conflict, Desk, Field, Mode};
use crate::review::summary::{pace, past};

pub(super) fn head(desk: &Desk, facts: &Facts, width: usize) -> Line<'static> {
    let mut said = format!("Review {}/{}", desk.tally.decided(), desk.limit);
    if let Some(pace) = pace(&desk.tally, facts.elapsed) {
        said.push_str(&format!("  {pace} each"));
    }
    said.push_str(&format!("  {} first", facts.order));
    if desk.remaining > 0 {
        said.push_str(&format!("  {} more", desk.remaining));
    }
    if facts.unsent > 0 {
        said = match &facts.trouble {
            Some(trouble) => format!("{} unsent: {trouble}  {said}", facts.unsent),
            None => format!("{said}  {} unsent", facts.unsent),
        };
    }
    styled(format!("{:width$}", clipped(&said, width)), MARKED)
}

pub(super) fn foot(desk: &Desk, facts: &Facts, width: usize, height: usize) -> Vec<Line<'static>> {
    // A small screen belongs to the run.
    let most = if height < 14 { 1 } else { 2 };
    let mut lines = Vec::new();
    if let Some(conflict) = desk.conflicts.front() {
        lines.extend(first(wrapped(&words(conflict), width), most).map(|line| styled(line, facts.bad())));
    } else if let Some(notice) = &desk.notice {
        lines.extend(first(wrapped(notice, width), most).map(|line| styled(line, DIM)));
    }
    match desk.mode {
        Mode::Failing => lines.push(field("What was wrong? ", desk.draft(), width)),
        Mode::Writing => lines.push(field("Feedback: ", desk.draft(), width)),
        Mode::Asking => lines.push(styled(clipped("And was it right? y or n", width), facts.heading())),
        Mode::Deferring => lines.push(styled(clipped("Defer for how long?", width), facts.heading())),
        Mode::Reading | Mode::Help => {}
    }
    lines.extend(keys(desk, facts, width, most));
    lines
}

fn words(conflict: &Conflict) -> String {
    let who = match &conflict.theirs {
        Some(theirs) => format!("{} {} this run before you.", theirs.reviewer, past(theirs.result)),
        None => "Somebody reviewed this run before you.".to_owned(),
    };
    format!("{who} r puts yours in its place, x keeps theirs.")
}

fn keys(desk: &Desk, facts: &Facts, width: usize, most: usize) -> Vec<Line<'static>> {
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
        ("j k", "look"),
    ];
    let shown: &[(&str, &str)] = match desk.mode {
        Mode::Failing => &[("Enter", "fail it"), ("Esc", "cancel"), ("Ctrl+E", "editor")],
        Mode::Writing => &[("Enter", "done"), ("Esc", "cancel"), ("Ctrl+E", "editor")],
        Mode::Asking => &[("y", "pass"), ("n", "fail"), ("Esc", "back")],
        Mode::Deferring => &[("h", "hour"), ("t", "tomorrow"), ("w", "week"), ("Esc", "back")],
        Mode::Help => &[("any key", "back")],
        Mode::Reading if desk.whole.is_some() => &[
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
            if lines.len() == most {
                break;
            }
            lines.push((0, Vec::new()));
        }
        if let Some((used, spans)) = lines.last_mut() {
            *used += wide;
            spans.push(Span::styled((*key).to_owned(), facts.heading()));
            spans.push(Span::raw(format!(" {does}  ")));
        }
    }
    lines.into_iter().map(|(_, spans)| Line::from(spans)).collect()
}

/// What is written, as much as fits before and behind the cursor.
fn field(label: &str, field: Option<&Field>, width: usize) -> Line<'static> {
    let (before, behind) = field.map(Field::halves).unwrap_or_default();
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

fn first(lines: Vec<String>, most: usize) -> impl Iterator<Item = String> {
    lines.into_iter().take(most)
}
