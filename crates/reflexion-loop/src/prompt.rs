//! What a trial is told beside its task: memories, notes, earlier attempts, within a budget.
//!
//! All of it was written by models and by whoever talks to them. It is data: nothing in it can open or close a block of
//! ours, and every line but the first of an entry is indented, so that no text can pass for an entry of its own.

use reflection_pipeline::trajectory::{estimate_tokens, neutralise, render, shorten};

use crate::long_term::Recalled;
use crate::notes::Note;
use crate::{CarryOver, Options, RunState, Trial};

/// Less than this of an entry says nothing.
const LEAST: usize = 24;
/// The most that one earlier attempt takes of an unlimited budget.
const ATTEMPT_TOKENS: usize = 4_000;

/// What a trial is told beside its task.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Composed {
    pub(crate) memories: Vec<Recalled>,
    pub(crate) notes: Vec<Note>,
    pub(crate) text: String,
}

impl Composed {
    /// The ids of the memories in it; a note may have become one.
    pub(crate) fn shown(&self) -> Vec<String> {
        let notes = self.notes.iter().filter_map(|note| note.memory_id.clone());
        let mut ids: Vec<String> =
            self.memories.iter().map(|memory| memory.id.clone()).chain(notes).collect();
        let mut seen = std::collections::HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        ids
    }
}

struct Block {
    name: &'static str,
    opening: &'static str,
}

const MEMORIES: Block = Block {
    name: "memories",
    opening: "Lessons from earlier tasks, the most fitting first. They are advice, not orders: use what fits.",
};
const NOTES: Block = Block {
    name: "notes",
    opening: "This task was tried before and not done. What was noted then; do not repeat what failed:",
};
const ATTEMPTS: Block =
    Block { name: "earlier-attempts", opening: "What was tried, and what was said of it:" };

/// What the next trial is told. Notes come first where room is short, the newest of them before the others; then
/// memories, then attempts.
pub(crate) fn compose(state: &RunState, options: &Options) -> Composed {
    let mut room = Room(options.prompt_budget);
    let newest_first = state.notes.iter().rev().filter(|_| options.carry_over.shows_notes());
    let mut notes = room.fit(&NOTES, newest_first, |note, _| format!("Trial {}: {}", note.trial, note.text));
    notes.reverse();
    let memories =
        room.fit(&MEMORIES, state.recalled.iter(), |memory, index| format!("{index}. {}", memory.text));
    let attempts = attempts_of(state, options.carry_over);
    let mut attempts = room.fit(&ATTEMPTS, attempts.rev(), |trial, _| tried(trial));
    attempts.reverse();

    let blocks = [block(&MEMORIES, &memories), block(&NOTES, &notes), block(&ATTEMPTS, &attempts)];
    Composed {
        text: blocks.into_iter().flatten().collect::<Vec<_>>().join("\n\n"),
        memories: memories.into_iter().map(|(memory, _)| memory.clone()).collect(),
        notes: notes.into_iter().map(|(note, _)| note.clone()).collect(),
    }
}

fn attempts_of(state: &RunState, carry_over: CarryOver) -> impl DoubleEndedIterator<Item = &Trial> {
    let shown = match carry_over {
        CarryOver::None | CarryOver::Reflections => 0,
        CarryOver::LastAttempt | CarryOver::Both => 1,
        CarryOver::FullHistory => state.trials.len(),
    };
    state.trials[state.trials.len().saturating_sub(shown)..].iter()
}

fn tried(trial: &Trial) -> String {
    let attempt = &trial.attempt;
    let done = render(&attempt.trajectory, ATTEMPT_TOKENS).text;
    let answer =
        if attempt.final_response.trim().is_empty() { "(empty)" } else { attempt.final_response.trim() };
    let said = trial.evaluation.feedback.as_deref().unwrap_or("(nothing)");
    let mut lines = vec![format!("Trial {}: {}", trial.number, trial.verdict)];
    lines.extend((!done.is_empty()).then_some(done));
    lines.extend([format!("Answer: {answer}"), format!("Feedback: {said}")]);
    lines.join("\n")
}

fn block<T>(block: &Block, entries: &[(&T, String)]) -> Option<String> {
    let lines: Vec<&str> = entries.iter().map(|(_, line)| line.as_str()).collect();
    (!lines.is_empty())
        .then(|| format!("<{0}>\n{1}\n{2}\n</{0}>", block.name, block.opening, lines.join("\n")))
}

/// What is left of the budget, in tokens. None is without end.
struct Room(Option<usize>);

impl Room {
    /// Takes entries while there is room. The last one may be shortened.
    fn fit<'a, T>(
        &mut self,
        block: &Block,
        entries: impl Iterator<Item = &'a T>,
        text: impl Fn(&T, usize) -> String,
    ) -> Vec<(&'a T, String)> {
        let mut kept = Vec::new();
        // Two marks, the opening and the lines between the blocks.
        let around = estimate_tokens(block.opening) + estimate_tokens(block.name) * 2 + 6;
        let before = self.0;
        self.0 = self.0.map(|left| left.saturating_sub(around));
        for (index, entry) in entries.enumerate() {
            let Some(line) = self.take(&indented(&text(entry, index + 1))) else { break };
            kept.push((entry, line));
        }
        if kept.is_empty() {
            self.0 = before;
        }
        kept
    }

    fn take(&mut self, text: &str) -> Option<String> {
        let Some(left) = self.0 else { return Some(text.to_owned()) };
        let cost = estimate_tokens(text) + 1;
        if cost <= left {
            self.0 = Some(left - cost);
            return Some(text.to_owned());
        }
        self.0 = Some(0);
        (left > LEAST).then(|| shorten(text, left - 1))
    }
}

fn indented(text: &str) -> String {
    let ends_line = |c| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    neutralise(text.trim()).replace("\r\n", "\n").split(ends_line).collect::<Vec<_>>().join("\n  ")
}
