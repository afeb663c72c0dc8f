//! A signal to send.

use chrono::{DateTime, Utc};
use reflect_api::{RunKey, SendSignal};
use reflect_types::{ReviewResult, RunKeyName, SignalSource, TraceId};
use serde_json::Value;

/// The outcome of a run, as another system reports it.
///
/// ```
/// use reflect_sdk::OutgoingSignal;
/// use reflect_sdk::types::{RunKeyName, SignalSource};
///
/// let signal = OutgoingSignal::fail(SignalSource::ci())
///     .about_key(RunKeyName::commit(), "4f2a9c1")
///     .comment("2 tests failed: parses_dates, parses_times")
///     .idempotency_key("build 5121");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct OutgoingSignal {
    body: SendSignal,
}

impl OutgoingSignal {
    /// A run passed.
    pub fn pass(source: SignalSource) -> Self {
        Self::outcome(source, ReviewResult::Pass)
    }

    /// A run failed.
    pub fn fail(source: SignalSource) -> Self {
        Self::outcome(source, ReviewResult::Fail)
    }

    /// The result of a run.
    pub fn outcome(source: SignalSource, outcome: ReviewResult) -> Self {
        Self { body: SendSignal { outcome: Some(outcome), ..SendSignal::new(source) } }
    }

    /// The score of a run, 0 to 1. The thresholds of the project make a result of it.
    pub fn score(source: SignalSource, score: f64) -> Self {
        Self { body: SendSignal { score: Some(score), ..SendSignal::new(source) } }
    }

    /// The run, which may arrive later.
    pub fn about(mut self, trace_id: TraceId) -> Self {
        self.body.trace_id = Some(trace_id.to_string());
        self
    }

    /// The run with this key. If several runs declare it, the settings of the project say which.
    pub fn about_key(mut self, name: RunKeyName, value: impl Into<String>) -> Self {
        self.body.key = Some(RunKey { name, value: value.into() });
        self
    }

    /// When it happened. Default: now.
    pub fn occurred_at(mut self, at: DateTime<Utc>) -> Self {
        self.body.occurred_at = Some(at);
        self
    }

    /// Two signals of a source with the same key are one, also days apart.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.body.idempotency_key = Some(key.into());
        self
    }

    /// What was right or wrong. It becomes the feedback of the review.
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.body.comment = Some(text.into());
        self
    }

    /// Where to read more.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.body.url = Some(url.into());
        self
    }

    /// Adds one metadata entry.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.body.metadata.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    pub(crate) fn body(&self) -> &SendSignal {
        &self.body
    }
}
