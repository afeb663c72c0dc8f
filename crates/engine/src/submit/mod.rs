//! A run arrives, perhaps with its review.
//!
//! Checks what was sent, finds the final answer, decides whether work waits, and has all of it
//! stored in one transaction.

mod link;

use std::time::{Duration, SystemTime};

use reflect_store::{Body, Claim, LearnInput, NewReview, NewTrace, Recorded, Replay, StoreError};
use reflect_types::{
    Alpha, IngestStatus, RetrievalId, ReviewId, ReviewMode, ReviewResult, TraceId, Trajectory,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::authenticate::Visitor;
use crate::redact::ProjectRedactor;
use crate::{AuthoredLesson, Engine, EngineError};

/// As long as a query may be: a task that cannot be asked for cannot be found again.
const LONGEST_TASK: usize = 64 * 1024;
const LONGEST_NAME: usize = 1000;
const MOST_RETRIEVED: usize = 1000;
const LARGEST_METADATA: usize = 256 * 1024;
const LONGEST_REFERENCE: usize = 1024 * 1024;
/// The most runs one batch may hold.
pub const MAX_BATCH: usize = 100;
/// Above this, compressing takes long enough to keep other requests of the thread waiting.
const COMPRESS_ELSEWHERE: usize = 256 * 1024;

/// A run as it was sent.
#[derive(Debug, Clone)]
pub struct Run {
    /// An id of the client's own making.
    pub trace_id: Option<Uuid>,
    /// What the agent was asked to do.
    pub task: String,
    /// The messages, in any form.
    pub trajectory: Box<RawValue>,
    /// The agent's answer, when the client knows it.
    pub final_response: Option<String>,
    /// The memories that were shown to the agent.
    pub retrieved: Vec<String>,
    /// The receipt of the retrieval that served them.
    pub retrieval_id: Option<RetrievalId>,
    /// Which memories it made use of, when the client knows.
    pub used: Option<Vec<String>>,
    /// The model that ran.
    pub model: Option<String>,
    /// Anything worth filtering by.
    pub metadata: Map<String, Value>,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
    /// The verdict, when it is known.
    pub review: Option<InlineReview>,
}

/// A verdict that came together with its run.
#[derive(Debug, Clone)]
pub struct InlineReview {
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: Option<Alpha>,
    /// A lesson that came with it.
    pub authored: Option<AuthoredLesson>,
}

/// What became of each run of a batch, in the order they were sent.
pub type BatchOutcome = Vec<Result<Recorded, EngineError>>;

/// What became of what was sent, and how much was taken out of it first.
#[derive(Debug)]
pub struct Submitted<T> {
    /// What became of it.
    pub outcome: T,
    /// In how many places something was taken out.
    pub redacted: u64,
}

impl Engine {
    /// Stores a run. The same call again, by idempotency key or by trace id, changes nothing.
    pub async fn submit(
        &self,
        visitor: &Visitor,
        run: Run,
        claim: Option<&Claim>,
    ) -> Result<Submitted<Replay<Recorded>>, EngineError> {
        let redactor = self.redactor(visitor.project).await?;
        let (mut trace, redacted) = prepare_anywhere(visitor.clone(), run, redactor).await?;
        self.complete(visitor, &mut trace).await?;
        let recorded = self.store.project(visitor.project).record_trace(&trace, claim).await?;
        self.tell(visitor.project, "traces", Some(recorded.answer.trace_id.as_uuid()));
        Ok(Submitted { outcome: recorded, redacted })
    }

    /// Stores many runs; each is answered for itself.
    pub async fn submit_batch(
        &self,
        visitor: &Visitor,
        runs: Vec<Run>,
        claim: Option<&Claim>,
    ) -> Result<Submitted<BatchOutcome>, EngineError> {
        if runs.len() > MAX_BATCH {
            let problem = format!("has {} entries, at most {MAX_BATCH} are taken", runs.len());
            return Err(EngineError::invalid("traces", problem));
        }
        let redactor = self.redactor(visitor.project).await?;
        let mut redacted = 0;
        let mut prepared = Vec::with_capacity(runs.len());
        for run in runs {
            prepared.push(match prepare_anywhere(visitor.clone(), run, redactor.clone()).await {
                Ok((mut trace, count)) => {
                    redacted += count;
                    self.complete(visitor, &mut trace).await?;
                    Ok(trace)
                }
                Err(error) => Err(error),
            });
        }
        let (good, refused): (Vec<Option<NewTrace>>, Vec<Option<EngineError>>) = prepared
            .into_iter()
            .map(|item| match item {
                Ok(trace) => (Some(trace), None),
                Err(error) => (None, Some(error)),
            })
            .unzip();
        let stored = self.store.project(visitor.project).record_traces(&good, claim).await?;
        for recorded in stored.answer.iter().flatten() {
            self.tell(visitor.project, "traces", Some(recorded.trace_id.as_uuid()));
        }
        // What was stored under this key before stays stored, even if it would be refused today.
        let outcomes = stored.answer.into_iter().zip(refused);
        let outcomes = outcomes.map(|(stored, refused)| stored.ok_or_else(|| refused.unwrap_or_else(clash)));
        Ok(Submitted { outcome: outcomes.collect(), redacted })
    }
}

impl Engine {
    /// Finds out what a run does not say of itself, and makes a memory of a lesson that came along.
    async fn complete(&self, visitor: &Visitor, trace: &mut NewTrace) -> Result<(), EngineError> {
        trace.link = self.link(visitor, trace).await?;
        if let Some(review) = &mut trace.review {
            let (linked, receipt) = (&trace.link.memories, trace.link.retrieval);
            review.bounds = self.vote_bounds(visitor, linked, receipt, review.alpha).await?;
        }
        self.take_lesson(visitor, trace).await;
        Ok(())
    }

    /// A lesson that came with the verdict becomes a memory in the same transaction, so that nothing is
    /// left to wait for. When it cannot be embedded right now, it waits in the queue like any other.
    async fn take_lesson(&self, visitor: &Visitor, trace: &mut NewTrace) {
        let Some(review) = &trace.review else { return };
        let Some(authored) = review.authored.clone() else { return };
        let Ok(trajectory) = trace.body.decode() else { return };
        let input = LearnInput {
            review_id: review.review_id,
            trace_id: trace.trace_id,
            task: trace.task.clone(),
            trajectory,
            final_response: trace.final_response.clone(),
            metadata: trace.metadata.clone(),
            reference_context: None,
            key_id: trace.key_id,
            trust: trace.trust,
            result: review.result,
            feedback: review.feedback.clone(),
            authored: None,
            attempt: 1,
            failures: 0,
            draft: None,
            linked: trace.link.memories.clone(),
            used: trace.used.clone(),
            shown: Vec::new(),
        };
        if let Some(memory) = self.authored_memory(visitor.project, &input, authored).await {
            trace.lesson = Some(memory);
            trace.ingest = IngestStatus::Completed;
        }
    }
}

/// Why a run that was not refused is not stored either.
fn clash() -> EngineError {
    StoreError::Conflict { what: "another trace has this id" }.into()
}

/// What is to be stored, and in how many places something was taken out of it first.
async fn prepare_anywhere(
    visitor: Visitor,
    run: Run,
    mut redactor: ProjectRedactor,
) -> Result<(NewTrace, u64), EngineError> {
    let mut prepare = move |run: Run| {
        check_sizes(&run)?;
        let run = redact(run, &mut redactor)?;
        Ok((prepare(&visitor, run, SystemTime::now())?, redactor.finish()))
    };
    if run.trajectory.get().len() < COMPRESS_ELSEWHERE {
        return prepare(run);
    }
    let prepared = tokio::task::spawn_blocking(move || prepare(run));
    prepared.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

/// First of all, so that what is decided about a run is decided about what is stored: its digest, by which it
/// is known when it comes again, and the task, by which it is linked to a retrieval.
fn redact(run: Run, redactor: &mut ProjectRedactor) -> Result<Run, EngineError> {
    let review = match run.review {
        Some(review) => Some(InlineReview {
            feedback: redactor.optional("review.feedback_text", review.feedback)?,
            authored: review
                .authored
                .map(|lesson| redactor.lesson("review.reflection", lesson))
                .transpose()?,
            ..review
        }),
        None => None,
    };
    Ok(Run {
        task: redactor.text("task", run.task)?,
        trajectory: redactor.json("trajectory", run.trajectory)?,
        final_response: redactor.optional("final_response", run.final_response)?,
        retrieved: redactor.texts("retrieved_memory_ids", run.retrieved)?,
        model: redactor.optional("model", run.model)?,
        metadata: redactor.fields("metadata", run.metadata)?,
        reference_context: redactor.optional("reference_context", run.reference_context)?,
        review,
        ..run
    })
}

/// Pure but for fresh ids: everything that is decided about a run before it is stored.
fn prepare(visitor: &Visitor, run: Run, now: SystemTime) -> Result<NewTrace, EngineError> {
    let trace_id = match run.trace_id {
        Some(id) => TraceId::from_client(id, now).map_err(|error| EngineError::invalid("trace_id", error))?,
        None => TraceId::generate(),
    };
    let trajectory =
        Trajectory::from_wire(&run.trajectory).map_err(|error| EngineError::invalid("trajectory", error))?;
    let body = Body::encode(trajectory.json());
    let content_digest = content_digest(&run, body.digest());
    let final_response = run.final_response.or_else(|| trajectory.final_response().map(str::to_owned));
    let review = run.review.map(|review| NewReview {
        review_id: ReviewId::generate(),
        result: review.result,
        feedback: review.feedback.map(storable),
        alpha: review.alpha,
        mode: ReviewMode::Inline,
        reviewer: visitor.name.clone(),
        authored: review
            .authored
            .map(|lesson| storable_json(serde_json::to_value(lesson).unwrap_or_default())),
        grace: Duration::ZERO,
        action: None,
        trust: visitor.trust,
        bounds: None,
    });
    Ok(NewTrace {
        trace_id,
        task: storable(run.task),
        final_response: final_response.map(storable),
        model: run.model.map(storable),
        metadata: storable_json(Value::Object(run.metadata)),
        retrieved: run.retrieved.into_iter().map(storable).collect(),
        retrieval_id: run.retrieval_id,
        link: link::by_trajectory(trajectory.json()),
        used: run.used.map(|used| used.iter().filter_map(|id| id.parse().ok()).collect()),
        reference_context: run.reference_context.map(storable),
        messages: i32::try_from(trajectory.messages()).unwrap_or(i32::MAX),
        content_digest,
        body,
        key_id: visitor.key_id,
        trust: visitor.trust,
        ingest: if review.is_some() { IngestStatus::Queued } else { IngestStatus::Completed },
        review,
        lesson: None,
    })
}

fn check_sizes(run: &Run) -> Result<(), EngineError> {
    if run.task.trim().is_empty() {
        return Err(EngineError::invalid("task", "must not be empty"));
    }
    if run.task.len() > LONGEST_TASK {
        return Err(EngineError::invalid("task", "must not be longer than 64 kB"));
    }
    if run.model.as_ref().is_some_and(|model| model.len() > LONGEST_NAME) {
        return Err(EngineError::invalid("model", "must not be longer than 1000 bytes"));
    }
    let used = run.used.as_deref().unwrap_or_default();
    for (field, ids) in [("retrieved_memory_ids", run.retrieved.as_slice()), ("used_memory_ids", used)] {
        if ids.len() > MOST_RETRIEVED {
            return Err(EngineError::invalid(field, "must not have more than 1000 entries"));
        }
        if ids.iter().any(|id| id.len() > LONGEST_NAME) {
            return Err(EngineError::invalid(field, "must not have an entry over 1000 bytes"));
        }
    }
    if run.reference_context.as_ref().is_some_and(|text| text.len() > LONGEST_REFERENCE) {
        return Err(EngineError::invalid("reference_context", "must not be longer than 1 MB"));
    }
    check_feedback(run.review.as_ref().and_then(|review| review.feedback.as_deref()))?;
    if let Some(lesson) = run.review.as_ref().and_then(|review| review.authored.as_ref()) {
        lesson.check()?;
    }
    let metadata = serde_json::to_string(&run.metadata).map_or(usize::MAX, |text| text.len());
    if metadata > LARGEST_METADATA {
        return Err(EngineError::invalid("metadata", "must not be larger than 256 kB"));
    }
    Ok(())
}

/// A reviewer's words are shown to a model whole.
pub(crate) fn check_feedback(feedback: Option<&str>) -> Result<(), EngineError> {
    if feedback.is_some_and(|text| text.len() > LONGEST_TASK) {
        return Err(EngineError::invalid("feedback_text", "must not be longer than 64 kB"));
    }
    Ok(())
}

/// Digest of all that the client sent, but for the id. Lengths are digested too, so that no two
/// different runs read the same.
fn content_digest(run: &Run, body_digest: &[u8; 32]) -> [u8; 32] {
    let mut digest = blake3::Hasher::new();
    let mut part = |text: Option<&str>| {
        digest.update(&text.map_or(u64::MAX, |text| text.len() as u64).to_be_bytes());
        digest.update(text.unwrap_or_default().as_bytes());
    };
    part(Some(&run.task));
    part(run.final_response.as_deref());
    part(run.model.as_deref());
    part(run.reference_context.as_deref());
    part(run.retrieval_id.map(|id| id.to_string()).as_deref());
    part(Some(&serde_json::to_string(&run.metadata).unwrap_or_default()));
    for id in &run.retrieved {
        part(Some(id));
    }
    for id in run.used.iter().flatten() {
        part(Some("used"));
        part(Some(id));
    }
    if let Some(review) = &run.review {
        part(Some(review.result.as_str()));
        part(review.feedback.as_deref());
        part(review.alpha.map(|alpha| alpha.get().to_string()).as_deref());
        part(review.authored.as_ref().and_then(|lesson| serde_json::to_string(lesson).ok()).as_deref());
    }
    digest.update(body_digest);
    digest.finalize().into()
}

/// Postgres text has no NUL. A run is worth more than the NUL in a tool's output.
pub(crate) fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

pub(crate) fn storable_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(storable_json).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (storable(name), storable_json(value)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
