//! Verdicts of other programs about runs. The service that turns verdicts into reviews is plugged in here.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use reflect_store::{OtlpId, StoreError};
use reflect_trajectory::otel::EvaluationResult;
use reflect_types::TraceId;

use super::SpanIntake;
use crate::caller::Visitor;
use crate::error::EngineError;

/// The result of an evaluation, about a run that may not have arrived yet.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvaluation {
    /// The trace of the run, if its spans arrived.
    pub trace: Option<TraceId>,
    /// The value of the metadata field `otel_trace_id` of the run.
    pub otel_trace_id: Option<String>,
    /// The value of the metadata field `conversation` of the run.
    pub conversation: Option<String>,
    /// What was measured, such as `relevance`.
    pub name: String,
    /// The score, if there is one.
    pub score: Option<f64>,
    /// The verdict in one word, such as `pass`.
    pub label: Option<String>,
    /// Why.
    pub explanation: Option<String>,
    /// When.
    pub at: DateTime<Utc>,
    /// The same for a result that arrives again.
    pub idempotency_key: String,
}

/// Takes the results of evaluations.
pub trait EvaluationSink: Send + Sync {
    /// Takes one. It may arrive more than once.
    fn accept<'a>(
        &'a self,
        visitor: &'a Visitor,
        evaluation: RunEvaluation,
    ) -> BoxFuture<'a, Result<(), EngineError>>;
}

/// Where results go, if any service takes them.
#[derive(Clone, Default)]
pub(crate) struct EvaluationPort(pub(crate) Option<Arc<dyn EvaluationSink>>);

impl fmt::Debug for EvaluationPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EvaluationPort").field(&self.0.is_some()).finish()
    }
}

/// An evaluation, and the run whose trace id its record names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReceivedEvaluation {
    pub(super) run: Option<OtlpId>,
    pub(super) result: EvaluationResult,
}

impl SpanIntake {
    /// Passes evaluations on. Returns how many were taken.
    pub(super) async fn pass_on(
        &self,
        visitor: &Visitor,
        evaluations: Vec<ReceivedEvaluation>,
    ) -> Result<u64, EngineError> {
        let Some(sink) = &self.evaluations.0 else { return Ok(0) };
        let mut taken = 0;
        for received in evaluations {
            let trace = self.trace_of(visitor, received.run).await?;
            match sink.accept(visitor, evaluation(&received, trace)).await {
                Ok(()) => taken += 1,
                Err(EngineError::Store(error)) => return Err(error.into()),
                Err(error) => tracing::debug!(%error, "an evaluation is not taken: {error}"),
            }
        }
        Ok(taken)
    }

    async fn trace_of(&self, visitor: &Visitor, run: Option<OtlpId>) -> Result<Option<TraceId>, StoreError> {
        match run {
            Some(run) => self.store.project(visitor.project).traces().spans().trace_of(run).await,
            None => Ok(None),
        }
    }
}

pub(super) fn evaluation(received: &ReceivedEvaluation, trace: Option<TraceId>) -> RunEvaluation {
    let EvaluationResult { name, score, label, explanation, conversation, at } = received.result.clone();
    let otel_trace_id = received.run.map(|run| run.simple().to_string());
    let mut digest = blake3::Hasher::new();
    let score_text = score.map(|score| score.to_string());
    for part in [&otel_trace_id, &conversation, &Some(name.clone()), &score_text, &label] {
        digest.update(&part.as_ref().map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
        digest.update(part.as_deref().unwrap_or_default().as_bytes());
    }
    digest.update(&at.to_be_bytes());
    let at = i64::try_from(at).unwrap_or_default();
    RunEvaluation {
        trace,
        otel_trace_id,
        conversation,
        name,
        score,
        label,
        explanation,
        at: DateTime::from_timestamp_nanos(at),
        idempotency_key: format!("otlp/{}", digest.finalize().to_hex()),
    }
}
