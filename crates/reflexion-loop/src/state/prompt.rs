//! Builds the additions to the task: memories, notes and earlier attempts, within a token budget.
//!
//! The texts are untrusted. They cannot open or close a block, and all lines of an entry except the first are indented,
//! so no text can look like a separate entry.

use reflection_pipeline::trajectory::{estimate_tokens, neutralise, render, shorten};

use super::{RunState, Trial};
use crate::long_term::RecalledMemory;
use crate::notes::Note;
use crate::options::{CarryOver, Options};

/// An entry is not shortened to fewer tokens than this.
const LEAST: usize = 24;
/// The maximum number of tokens of one earlier attempt.
const ATTEMPT_TOKENS: usize = 4_000;

/// The additions to the task.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Composed {
    pub(crate) memories: Vec<RecalledMemory>,
    pub(crate) notes: Vec<Note>,
    pub(crate) text: String,
}

impl Composed {
    /// The ids of the memories, including notes that became memories.
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

/// The additions for the next trial. Notes use the budget first, newest first, then memories, then attempts.
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

/// The remaining budget in tokens. `None` means no limit.
struct Room(Option<usize>);

impl Room {
    /// Takes entries until the budget is used. The last one can be shortened.
    fn fit<'a, T>(
        &mut self,
        block: &Block,
        entries: impl Iterator<Item = &'a T>,
        text: impl Fn(&T, usize) -> String,
    ) -> Vec<(&'a T, String)> {
        let mut kept = Vec::new();
        // Two tags, the opening and the lines between the blocks.
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
    neutralise(text.trim()).replace('\n', "\n  ")
}
