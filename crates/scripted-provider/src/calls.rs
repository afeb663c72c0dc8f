//! Records the calls to the provider.

use std::collections::{BTreeMap, VecDeque};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;

/// More than any test reads, and little enough for a benchmark with a million calls.
const KEPT: usize = 1_000;

/// The kind of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// `POST /v1/chat/completions`
    Chat,
    /// `POST /v1/embeddings`
    Embeddings,
    /// `GET /v1/models`
    Models,
}

/// One request as received.
#[derive(Debug, Clone)]
pub struct Call {
    /// The kind.
    pub kind: CallKind,
    /// When it arrived.
    pub at: SystemTime,
    /// The path with its query.
    pub path: String,
    /// The headers, with lower-case names.
    pub headers: BTreeMap<String, String>,
    /// The body. Null if there was none.
    pub body: Value,
    /// The behaviour that it got, as named in scripts.
    pub behaviour: String,
}

/// The numbers of calls, including those that are no longer kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Chat calls.
    pub chat: u64,
    /// Embedding calls.
    pub embeddings: u64,
    /// Calls for the list of models.
    pub models: u64,
    /// How often each behaviour was used, by kind.
    pub behaviours: BTreeMap<CallKind, BTreeMap<String, u64>>,
}

/// The last calls, and the number of all.
#[derive(Default)]
pub(crate) struct Log {
    calls: VecDeque<Call>,
    counts: Counts,
}

impl Log {
    pub(crate) fn add(&mut self, call: Call) {
        let total = match call.kind {
            CallKind::Chat => &mut self.counts.chat,
            CallKind::Embeddings => &mut self.counts.embeddings,
            CallKind::Models => &mut self.counts.models,
        };
        *total += 1;
        *self.counts.behaviours.entry(call.kind).or_default().entry(call.behaviour.clone()).or_default() += 1;
        if self.calls.len() == KEPT {
            self.calls.pop_front();
        }
        self.calls.push_back(call);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.iter().cloned().collect()
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts.clone()
    }
}

/// The name of a behaviour, as scripts write it.
pub(crate) fn name_of(behaviour: &impl Serialize) -> String {
    match serde_json::to_value(behaviour) {
        Ok(Value::String(name)) => name,
        Ok(Value::Object(fields)) => fields.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
