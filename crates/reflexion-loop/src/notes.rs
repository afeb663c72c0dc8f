//! Notes of earlier trials for the next one: the episodic memory of a run.

use std::collections::VecDeque;

use reflection_pipeline::trajectory::shorten;
use reflection_pipeline::{Parse, ReflectionResult};
use serde::{Deserialize, Serialize};

/// The maximum length of a note. Every later trial shows it.
const NOTE_TOKENS: usize = 600;

/// The reflection on one trial, as text for the next.
///
/// See [`Notes`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The trial it is about.
    pub trial: u32,
    /// The text.
    pub text: String,
    /// Its memory, if it was recorded in the long-term memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_id: Option<String>,
}

/// The newest notes of a run, the oldest first.
///
/// ```
/// use reflexion_loop::{Note, Notes};
///
/// let mut notes = Notes::bounded(1);
/// for trial in 1..=2 {
///     notes.add(Note { trial, text: format!("note {trial}"), memory_id: None });
/// }
/// assert_eq!(notes.iter().map(|note| note.trial).collect::<Vec<_>>(), [2]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    capacity: usize,
    kept: VecDeque<Note>,
}

impl Notes {
    /// Keeps at most `capacity` notes.
    pub fn bounded(capacity: usize) -> Self {
        Self { capacity, kept: VecDeque::new() }
    }

    /// Changes the capacity.
    pub(crate) fn resize(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.drop_oldest();
    }

    /// Adds a note. If there are too many, the oldest is dropped.
    pub fn add(&mut self, note: Note) {
        self.kept.push_back(note);
        self.drop_oldest();
    }

    fn drop_oldest(&mut self) {
        while self.kept.len() > self.capacity {
            self.kept.pop_front();
        }
    }

    /// The notes, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Note> {
        self.kept.iter()
    }

    /// The number of notes.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// A reflection as a note: its summary and the steps of the plan. An answer that could not be parsed is quoted.
pub(crate) fn note_text(reflection: &ReflectionResult) -> String {
    if let Parse::Fallback { raw } = &reflection.parse {
        let raw = raw.trim();
        return shorten(if raw.is_empty() { &reflection.summary } else { raw }, NOTE_TOKENS);
    }
    let plan = if reflection.suggestions.is_empty() { &reflection.insights } else { &reflection.suggestions };
    let steps = plan.iter().map(|step| format!("- {step}"));
    let lines: Vec<String> = std::iter::once(reflection.summary.clone()).chain(steps).collect();
    shorten(&lines.join("\n"), NOTE_TOKENS)
}
