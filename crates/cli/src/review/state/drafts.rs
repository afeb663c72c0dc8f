//! Feedback that is written and not submitted yet, per run.

use std::collections::BTreeMap;

use reflect_types::TraceId;

use super::text_field::TextField;

/// The drafts of a session.
#[derive(Debug, Default)]
pub(crate) struct Drafts(BTreeMap<TraceId, TextField>);

impl Drafts {
    pub(crate) fn get(&self, trace: TraceId) -> Option<&TextField> {
        self.0.get(&trace)
    }

    /// The draft of a run, empty if there is none yet.
    pub(crate) fn edit(&mut self, trace: TraceId) -> &mut TextField {
        self.0.entry(trace).or_default()
    }

    pub(crate) fn set(&mut self, trace: TraceId, text: impl Into<String>) {
        self.0.insert(trace, TextField::of(text));
    }

    pub(crate) fn remove(&mut self, trace: TraceId) {
        self.0.remove(&trace);
    }

    /// Removes the draft and returns its text unless it is blank.
    pub(crate) fn take(&mut self, trace: TraceId) -> Option<String> {
        let text = self.0.remove(&trace)?.text().trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}
