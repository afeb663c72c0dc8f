//! Makes entries fit a budget: shortens the largest first, and only then leaves out whole entries.

use std::borrow::Cow;

use super::{CHARACTERS_PER_TOKEN, Cut, Rendered, indented};

/// In characters. Entries are omitted before any is cut below this length, because a shorter entry has too little information.
const FLOOR: usize = 120;

/// One entry, as it was recorded.
pub(crate) struct Entry<'a> {
    head: String,
    body: Cow<'a, str>,
}

/// One entry, safe to show.
struct Line {
    head: String,
    body: String,
    /// The body's length in characters.
    length: usize,
}

impl<'a> Entry<'a> {
    /// `head` must be one line.
    pub(crate) fn new(head: String, body: impl Into<Cow<'a, str>>) -> Self {
        Self { head, body: body.into() }
    }

    /// The least length to show. The length of a long body is not counted: most are left out anyway.
    fn least(&self) -> usize {
        let is_long = self.body.len() > FLOOR * 4;
        let body = if is_long { FLOOR } else { indented(&self.body).chars().count().min(FLOOR) };
        cost(&self.head, body)
    }

    fn line(&self) -> Line {
        let body = indented(&self.body);
        Line { head: self.head.clone(), length: body.chars().count(), body }
    }
}

/// Head, colon and space, body, end of line.
fn cost(head: &str, body: usize) -> usize {
    head.chars().count() + 2 + body + 1
}

/// Renders the entries in at most `max_tokens` tokens.
pub(crate) fn fit(entries: &[Entry<'_>], max_tokens: usize) -> Rendered {
    let budget = max_tokens.saturating_mul(CHARACTERS_PER_TOKEN);
    let (first, last) = ends(entries, budget);
    let left_out = entries.len() - first - last;
    let mark = mark(left_out);
    let kept = entries[..first].iter().chain(&entries[entries.len() - last..]);
    let kept: Vec<Line> = kept.map(Entry::line).collect();

    let fixed = kept.iter().map(|line| cost(&line.head, 0)).sum::<usize>() + cost_of(&mark);
    let lengths = kept.iter().map(|line| line.length).collect();
    let limit = level(lengths, budget.saturating_sub(fixed));
    let shortened = kept.iter().filter(|line| line.length > limit).count();

    let mut lines: Vec<String> =
        kept.iter().map(|line| format!("{}: {}", line.head, shorten(&line.body, limit))).collect();
    if let Some(mark) = mark {
        lines.insert(first, mark);
    }
    // Exceeds the budget only if it is too small for the marks.
    let text = lines.join("\n").chars().take(budget).collect();
    Rendered { text, cut: Cut { shortened, left_out } }
}

/// How many entries to keep at the beginning, which has the task, and at the end, which has the result.
fn ends(entries: &[Entry<'_>], budget: usize) -> (usize, usize) {
    if entries.iter().map(Entry::least).sum::<usize>() <= budget {
        return (entries.len(), 0);
    }
    let (mut first, mut last) = (0, 0);
    let mut room = budget.saturating_sub(cost_of(&mark(entries.len())));
    while first + last < entries.len() {
        let from_front = first <= last;
        let entry = if from_front { &entries[first] } else { &entries[entries.len() - 1 - last] };
        let Some(left) = room.checked_sub(entry.least()) else { break };
        room = left;
        *(if from_front { &mut first } else { &mut last }) += 1;
    }
    (first, last)
}

fn mark(left_out: usize) -> Option<String> {
    (left_out > 0).then(|| format!("[…] {left_out} entries left out"))
}

fn cost_of(mark: &Option<String>) -> usize {
    mark.as_ref().map_or(0, |mark| mark.chars().count() + 1)
}

/// The maximum length of a body with which all bodies together take at most `room`.
fn level(mut lengths: Vec<usize>, mut room: usize) -> usize {
    lengths.sort_unstable();
    let mut left = lengths.len();
    for length in lengths {
        let share = room / left;
        if length > share {
            return share;
        }
        room -= length;
        left -= 1;
    }
    usize::MAX
}

/// Removes the middle. The beginning gets two thirds, because it usually has more information than the end.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    // A text has at most as many characters as bytes.
    let length = if text.len() <= max { text.len() } else { text.chars().count() };
    if length <= max {
        return text.to_owned();
    }
    let note = |gone: usize| format!(" …[{gone} characters cut]… ");
    let Some(kept) = max.checked_sub(note(length).chars().count()) else {
        return text.chars().take(max).collect();
    };
    let head = kept - kept / 3;
    let beginning: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - (kept - head)).collect();
    format!("{beginning}{}{end}", note(length - kept))
}
