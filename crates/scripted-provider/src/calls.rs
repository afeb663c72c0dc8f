//! What the provider was asked.

use std::collections::{BTreeMap, VecDeque};
use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;

/// More than any test looks at, and little enough for a benchmark that calls a million times.
const KEPT: usize = 1_000;

/// What a call was for.
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

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub struct Call {
    /// What it was for.
    pub kind: CallKind,
    /// When it arrived.
    pub at: SystemTime,
    /// The path of its address, with its query.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body. Null where there was none.
    pub body: Value,
    /// What it got, as scripts name it.
    pub behaviour: String,
}

/// How many calls there were. Calls that are no longer kept are counted too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Calls of chat.
    pub chat: u64,
    /// Calls of embeddings.
    pub embeddings: u64,
    /// Calls for the list of models.
    pub models: u64,
    /// Per kind, how often each behaviour was given.
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
