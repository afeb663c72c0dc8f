//! Results of evaluations, as signals about the runs that they judge.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::DateTime;
use futures::future::BoxFuture;
use reflect_store::{OtlpId, StoreError};
use reflect_trajectory::otel::EvaluationResult;
use reflect_types::{ReviewResult, RunKeyName, Scope, SignalSource, TraceId};
use serde_json::{Map, Value};

use super::SpanIntake;
use super::built_run::cut;
use super::identity::otel_trace_id;
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::signals::{MOST_SIGNALS, SubmittedSignal};

/// Labels that are a pass. Others leave the decision to the score.
const PASSES: [&str; 4] = ["pass", "passed", "correct", "success"];
const FAILS: [&str; 4] = ["fail", "failed", "incorrect", "failure"];
/// As long as the comment of any signal, in bytes.
const LONGEST_EXPLANATION: usize = 16 * 1024;
/// The most results of one request. The sender waits for all of them, and they are taken a hundred at a time.
pub(super) const MOST_EVALUATIONS: usize = 1000;
/// The longest name and label that are shown with the signal, in bytes.
const LONGEST_WORD: usize = 200;

/// What became of each result, or why none was looked at.
pub(crate) type TakenResults = Result<Vec<Result<(), EngineError>>, EngineError>;
/// Takes results as signals, at most [`MOST_SIGNALS`] at once.
pub(crate) type EvaluationHandler =
    Arc<dyn Fn(Visitor, Vec<SubmittedSignal>) -> BoxFuture<'static, TakenResults> + Send + Sync>;

/// An evaluation, and the run whose trace id its record names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReceivedEvaluation {
    pub(super) run: Option<OtlpId>,
    pub(super) result: EvaluationResult,
}

/// What became of results. Each is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PassedOn {
    pub(super) taken: u64,
    /// The key may not send signals.
    pub(super) not_permitted: u64,
    /// They cannot be signals.
    pub(super) refused: u64,
    /// They are beyond those that one request may bring.
    pub(super) surplus: u64,
}

impl SpanIntake {
    /// Passes results on as signals. A result that arrives again changes nothing.
    pub(super) async fn pass_on(
        &self,
        visitor: &Visitor,
        evaluations: Vec<ReceivedEvaluation>,
    ) -> Result<PassedOn, EngineError> {
        if evaluations.is_empty() {
            return Ok(PassedOn::default());
        }
        // A key that records runs must not review them.
        if visitor.may(Scope::SignalWrite).is_err() {
            return Ok(PassedOn { not_permitted: evaluations.len() as u64, ..PassedOn::default() });
        }
        let (evaluations, surplus) = limited(evaluations);
        let sent = evaluations.len() as u64;
        let runs: Vec<OtlpId> = evaluations.iter().filter_map(|received| received.run).collect();
        let traces = self.store.project(visitor.project).traces().spans().traces_of(&runs).await?;
        let traces: HashMap<OtlpId, TraceId> = traces.into_iter().collect();
        let signals = evaluations.into_iter().filter_map(|received| {
            let trace = received.run.and_then(|run| traces.get(&run).copied());
            signal(received, trace)
        });
        let signals: Vec<SubmittedSignal> = signals.collect();
        let mut taken = 0;
        for some in signals.chunks(MOST_SIGNALS) {
            let results = (self.evaluations)(visitor.clone(), some.to_vec()).await?;
            taken += results.iter().filter(|result| is_taken(result)).count() as u64;
        }
        Ok(PassedOn { taken, refused: sent - taken, surplus, not_permitted: 0 })
    }
}

/// The results that are looked at, and how many are beyond them.
pub(super) fn limited(mut evaluations: Vec<ReceivedEvaluation>) -> (Vec<ReceivedEvaluation>, u64) {
    let surplus = evaluations.len().saturating_sub(MOST_EVALUATIONS);
    evaluations.truncate(MOST_EVALUATIONS);
    (evaluations, surplus as u64)
}

/// The idempotency key follows from the whole result, so under a key that was used before there is the same result. Its signal
/// differs if it named the run by a key then, and the run has arrived since.
fn is_taken(result: &Result<(), EngineError>) -> bool {
    matches!(result, Ok(()) | Err(EngineError::Store(StoreError::KeyReused)))
}

/// A result as a signal. `None` if it names no run or has no verdict.
pub(super) fn signal(received: ReceivedEvaluation, trace: Option<TraceId>) -> Option<SubmittedSignal> {
    let idempotency_key = Some(idempotency_key(&received));
    let ReceivedEvaluation { run, result } = received;
    let EvaluationResult { name, score, label, explanation, conversation, at } = result;
    let by_run = run.map(|run| (RunKeyName::otel_trace_id(), otel_trace_id(run)));
    let by_key = by_run.or_else(|| Some((RunKeyName::conversation(), conversation?)));
    let key = by_key.filter(|_| trace.is_none());
    if trace.is_none() && key.is_none() {
        return None;
    }
    let outcome = label.as_deref().and_then(outcome);
    let within = score.filter(|score| (0.0..=1.0).contains(score) && outcome.is_none());
    if outcome.is_none() && within.is_none() {
        return None;
    }
    let mut metadata = Map::new();
    metadata.insert("evaluation".to_owned(), cut(name, LONGEST_WORD).into());
    if let Some(label) = label {
        metadata.insert("label".to_owned(), cut(label, LONGEST_WORD).into());
    }
    if let Some(score) = score.filter(|_| outcome.is_some()) {
        metadata.insert("score".to_owned(), Value::from(score));
    }
    Some(SubmittedSignal {
        source: SignalSource::evaluation(),
        trace: trace.map(Some),
        key,
        outcome,
        score: within,
        occurred_at: i64::try_from(at).ok().filter(|at| *at > 0).map(DateTime::from_timestamp_nanos),
        idempotency_key,
        comment: explanation.map(|explanation| cut(explanation, LONGEST_EXPLANATION)),
        url: None,
        metadata,
    })
}

fn outcome(label: &str) -> Option<ReviewResult> {
    let label = label.to_ascii_lowercase();
    if PASSES.contains(&label.as_str()) {
        Some(ReviewResult::Pass)
    } else if FAILS.contains(&label.as_str()) {
        Some(ReviewResult::Fail)
    } else {
        None
    }
}

/// A digest of the whole result. Lengths are included, so different results have different input.
fn idempotency_key(received: &ReceivedEvaluation) -> String {
    let EvaluationResult { name, score, label, explanation, conversation, at } = &received.result;
    let (run, score) = (received.run.map(otel_trace_id), score.map(|score| score.to_string()));
    let mut digest = blake3::Hasher::new();
    for part in [&run, conversation, &Some(name.clone()), &score, label, explanation] {
        digest.update(&part.as_ref().map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
        digest.update(part.as_deref().unwrap_or_default().as_bytes());
    }
    digest.update(&at.to_be_bytes());
    format!("otlp/{}", digest.finalize().to_hex())
}
