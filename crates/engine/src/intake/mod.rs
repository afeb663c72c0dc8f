//! Storing traces, with or without a review.
//!
//! Checks and redacts the trace, finds the final answer, links memories, and stores everything in one transaction.

mod link;

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use reflect_store::{
    Body, Claim, LearnInput, NewReview, NewTraceRow, RecordedTrace, Replay, Store, StoreError,
};
use reflect_trajectory::SentTrajectory;
use reflect_types::{
    Alpha, IngestStatus, RetrievalId, ReviewId, ReviewMode, ReviewResult, ReviewerKind, RunKeyName, TraceId,
    Trust,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::caller::Visitor;
use crate::client_text::{
    ProjectRedactor, Redaction, check_feedback, check_metadata, check_task, storable, storable_fields,
    storable_json,
};
use crate::error::EngineError;
use crate::events::EventBus;
use crate::lessons::{AuthoredLesson, AuthoredStatistics, MemoryBuilder};
use crate::project_cache::{self, ProjectCache};
use crate::run_keys;
use crate::run_sample;
use crate::votes::{VoteLimits, VotedRun};
pub use link::RunTime;

const LONGEST_NAME: usize = 1000;
const MOST_RETRIEVED: usize = 1000;
const LONGEST_REFERENCE: usize = 1024 * 1024;
/// More keys do not help to find a run.
const MOST_KEYS: usize = 8;
/// The most traces in one batch.
pub const MAX_BATCH: usize = 100;
/// Compressing more than this would block other requests of the thread.
const COMPRESS_ELSEWHERE: usize = 256 * 1024;

/// A trace as a client sends it.
#[derive(Debug, Clone)]
pub struct SubmittedRun {
    /// An id that the client chose.
    pub trace_id: Option<Uuid>,
    /// The task of the agent.
    pub task: String,
    /// The messages, in any format.
    pub trajectory: Box<RawValue>,
    /// The agent's answer, if the client sends it.
    pub final_response: Option<String>,
    /// The ids of the memories that the agent was given.
    pub retrieved: Vec<String>,
    /// The receipt of the retrieval.
    pub retrieval_id: Option<RetrievalId>,
    /// The memories that the run used, if the client knows.
    pub used: Option<Vec<String>>,
    /// The model of the agent.
    pub model: Option<String>,
    /// Metadata for filters.
    pub metadata: Map<String, Value>,
    /// A reference text to compare the run with.
    pub reference_context: Option<String>,
    /// The keys by which signals find the run.
    pub keys: Vec<(RunKeyName, String)>,
    /// The review, if there is one.
    pub review: Option<SubmittedReview>,
    /// When it ran, if it is stored later.
    pub ran: Option<RunTime>,
}

impl SubmittedRun {
    /// A run with nothing but its task and its messages.
    pub fn new(task: String, trajectory: Box<RawValue>) -> Self {
        Self {
            trace_id: None,
            task,
            trajectory,
            final_response: None,
            retrieved: Vec::new(),
            retrieval_id: None,
            used: None,
            model: None,
            metadata: Map::new(),
            reference_context: None,
            keys: Vec::new(),
            review: None,
            ran: None,
        }
    }
}

/// A review that comes with its trace.
#[derive(Debug, Clone)]
pub struct SubmittedReview {
    /// The result.
    pub result: ReviewResult,
    /// The feedback.
    pub feedback: Option<String>,
    /// The learning rate.
    pub alpha: Option<Alpha>,
    /// A lesson that comes with the review.
    pub authored: Option<AuthoredLesson>,
    /// When the run was reviewed, if that was earlier.
    pub reviewed_at: Option<DateTime<Utc>>,
}

/// The outcome of each trace of a batch, in order.
pub type BatchOutcome = Vec<Result<RecordedTrace, EngineError>>;

/// The outcome of a request, and the number of redactions.
#[derive(Debug)]
pub struct Submitted<T> {
    /// The outcome.
    pub outcome: T,
    /// How many values were redacted.
    pub redacted: u64,
}

/// Stores traces.
#[derive(Debug, Clone)]
pub struct Intake {
    store: Store,
    projects: ProjectCache,
    redaction: Redaction,
    votes: VoteLimits,
    memories: MemoryBuilder,
    events: EventBus,
}

impl Intake {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        redaction: Redaction,
        votes: VoteLimits,
        memories: MemoryBuilder,
        events: EventBus,
    ) -> Self {
        Self { store, projects, redaction, votes, memories, events }
    }

    /// Stores a trace. A repeated call with the same idempotency key or trace id changes nothing.
    pub async fn submit(
        &self,
        visitor: &Visitor,
        run: SubmittedRun,
        claim: Option<&Claim>,
    ) -> Result<Submitted<Replay<RecordedTrace>>, EngineError> {
        let redactor = self.redaction.redactor(visitor.project).await?;
        let (PreparedRun { mut trace, clues }, redacted) =
            prepare_anywhere(visitor.clone(), run, redactor).await?;
        let statistics = self.complete(visitor, &mut trace, &clues).await?;
        let recorded = self.store.project(visitor.project).traces().record(&trace, claim).await?;
        self.announce(visitor, &recorded.answer, statistics.as_ref()).await;
        Ok(Submitted { outcome: recorded, redacted })
    }

    /// Stores many traces. Each has its own outcome.
    pub async fn submit_batch(
        &self,
        visitor: &Visitor,
        runs: Vec<SubmittedRun>,
        claim: Option<&Claim>,
    ) -> Result<Submitted<BatchOutcome>, EngineError> {
        if runs.len() > MAX_BATCH {
            let problem = format!("has {} entries, at most {MAX_BATCH} are accepted", runs.len());
            return Err(EngineError::invalid("traces", problem));
        }
        let redactor = self.redaction.redactor(visitor.project).await?;
        let mut redacted = 0;
        let (mut good, mut refused, mut statistics) = (Vec::new(), Vec::new(), Vec::new());
        for run in runs {
            match prepare_anywhere(visitor.clone(), run, redactor.clone()).await {
                Ok((PreparedRun { mut trace, clues }, count)) => {
                    redacted += count;
                    statistics.push(self.complete(visitor, &mut trace, &clues).await?);
                    good.push(Some(trace));
                    refused.push(None);
                }
                Err(error) => {
                    statistics.push(None);
                    good.push(None);
                    refused.push(Some(error));
                }
            }
            // Other requests of the thread do not wait for the whole batch.
            tokio::task::yield_now().await;
        }
        let stored = self.store.project(visitor.project).traces().record_many(good, claim).await?;
        for (recorded, statistics) in stored.answer.iter().zip(&statistics) {
            if let Some(recorded) = recorded {
                self.announce(visitor, recorded, statistics.as_ref()).await;
            }
        }
        // A trace that was stored under this key earlier stays stored, even if it would be refused today.
        let outcomes = stored.answer.into_iter().zip(refused);
        let outcomes = outcomes.map(|(stored, refused)| stored.ok_or_else(|| refused.unwrap_or_else(clash)));
        Ok(Submitted { outcome: outcomes.collect(), redacted })
    }

    /// Publishes a trace. Publishes and counts the lesson that came with its review, if this call stored it.
    async fn announce(
        &self,
        visitor: &Visitor,
        recorded: &RecordedTrace,
        statistics: Option<&AuthoredStatistics>,
    ) {
        self.events.publish(visitor.project, "traces", Some(recorded.trace_id.as_uuid()));
        if let Some(statistics) = statistics.filter(|_| recorded.is_new) {
            self.memories.record_authored(visitor.project, statistics).await;
            self.events.publish(
                visitor.project,
                "memories",
                recorded.memory_id.map(|memory| memory.as_uuid()),
            );
            self.events.publish(visitor.project, "lessons", None);
        }
    }

    /// Links the memories of a run, and prepares the memory of its lesson. Returns what is counted when that is stored.
    async fn complete(
        &self,
        visitor: &Visitor,
        trace: &mut NewTraceRow,
        clues: &link::LinkClues,
    ) -> Result<Option<AuthoredStatistics>, EngineError> {
        let facts = self.projects.settings_facts(visitor.project).await?;
        if facts.has_signals {
            let share = project_cache::settings(&facts.settings).signals.blind_share;
            trace.signals_blind = Some(run_sample::is_blind(trace.trace_id, share));
        }
        let voter = visitor.into();
        let needs_link = |review: &NewReview| review.authored.is_some() || VoteLimits::apply_to(&voter);
        // Marked steps add to what is inferred.
        let now = !clues.marked.is_empty() || trace.review.as_ref().is_some_and(needs_link);
        link::link(&self.store, &self.projects, visitor, trace, clues.period, now).await?;
        link::add_marked(&self.store, visitor, trace, &clues.marked).await?;
        if let Some(review) = &mut trace.review {
            let (linked, retrieval) = (&trace.link.memories, trace.link.retrieval);
            let run = VotedRun { task: &trace.task, linked, retrieval };
            review.bounds = self.votes.bounds(&voter, run, review.alpha).await?;
        }
        Ok(self.take_lesson(visitor, trace).await)
    }

    /// A lesson that came with the review becomes a memory in the same transaction, and nothing is queued. If it cannot
    /// be embedded now, it is queued.
    async fn take_lesson(&self, visitor: &Visitor, trace: &mut NewTraceRow) -> Option<AuthoredStatistics> {
        let review = trace.review.as_ref()?;
        let authored = review.authored.clone()?;
        let trajectory = trace.body.decode().ok()?;
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
            by: ReviewerKind::Person,
            authored: None,
            attempt: 1,
            failures: 0,
            draft: None,
            relations: None,
            linked: trace.link.memories.clone(),
            used: trace.used.clone(),
            shown: Vec::new(),
        };
        let (memory, statistics) = self.memories.authored_memory(visitor.project, &input, authored).await?;
        trace.lesson = Some(memory);
        trace.ingest = IngestStatus::Completed;
        Some(statistics)
    }
}

/// The error of a trace that was valid but not stored.
fn clash() -> EngineError {
    StoreError::Conflict { what: "another trace has this id" }.into()
}

/// A run before its memories are linked.
#[derive(Debug)]
struct PreparedRun {
    trace: NewTraceRow,
    clues: link::LinkClues,
}

/// The trace to store, and the number of redactions.
async fn prepare_anywhere(
    visitor: Visitor,
    run: SubmittedRun,
    mut redactor: ProjectRedactor,
) -> Result<(PreparedRun, u64), EngineError> {
    let mut prepare = move |run: SubmittedRun| {
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

/// Redaction comes first: the content digest, which detects repeated traces, and the task, which links a retrieval, are
/// computed from the stored text.
fn redact(run: SubmittedRun, redactor: &mut ProjectRedactor) -> Result<SubmittedRun, EngineError> {
    let review = match run.review {
        Some(review) => Some(SubmittedReview {
            feedback: redactor.optional("review.feedback_text", review.feedback)?,
            authored: review
                .authored
                .map(|lesson| redactor.lesson("review.reflection", lesson))
                .transpose()?,
            ..review
        }),
        None => None,
    };
    Ok(SubmittedRun {
        task: redactor.text("task", run.task)?,
        trajectory: redactor.json("trajectory", run.trajectory)?,
        final_response: redactor.optional("final_response", run.final_response)?,
        retrieved: redactor.texts("retrieved_memory_ids", run.retrieved)?,
        model: redactor.optional("model", run.model)?,
        metadata: redactor.fields("metadata", run.metadata)?,
        reference_context: redactor.optional("reference_context", run.reference_context)?,
        keys: redact_keys(run.keys, redactor)?,
        review,
        ..run
    })
}

fn redact_keys(
    keys: Vec<(RunKeyName, String)>,
    redactor: &mut ProjectRedactor,
) -> Result<Vec<(RunKeyName, String)>, EngineError> {
    keys.into_iter().map(|(name, value)| Ok((name, run_keys::redacted(redactor, "keys", value)?))).collect()
}

/// Everything that is decided about a trace before it is stored. Pure, except for new ids.
fn prepare(visitor: &Visitor, run: SubmittedRun, now: SystemTime) -> Result<PreparedRun, EngineError> {
    let trace_id = match run.trace_id {
        Some(id) => TraceId::from_client(id, now).map_err(|error| EngineError::invalid("trace_id", error))?,
        None => TraceId::generate(),
    };
    let trajectory = SentTrajectory::from_wire(&run.trajectory)
        .map_err(|error| EngineError::invalid("trajectory", error))?;
    let body = Body::encode(trajectory.json());
    let content_digest = content_digest(&run, body.digest());
    let final_response = run.final_response.or_else(|| trajectory.final_response().map(str::to_owned));
    if let Some(reviewed_at) = run.review.as_ref().and_then(|review| review.reviewed_at) {
        check_reviewed_at(reviewed_at, trace_id, visitor.trust, now)?;
    }
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
        reviewed_at: review.reviewed_at,
    });
    let trace = NewTraceRow {
        trace_id,
        task: storable(run.task),
        final_response: final_response.map(storable),
        model: run.model.map(storable),
        metadata: Value::Object(storable_fields(run.metadata)),
        retrieved: run.retrieved.into_iter().map(storable).collect(),
        retrieval_id: run.retrieval_id,
        link: link::by_trajectory(trajectory.json()),
        infer: None,
        used: run.used.map(|used| used.iter().filter_map(|id| id.parse().ok()).collect()),
        reference_context: run.reference_context.map(storable),
        messages: i32::try_from(trajectory.messages()).unwrap_or(i32::MAX),
        content_digest,
        body,
        key_id: visitor.key_id,
        trust: visitor.trust,
        ingest: if review.is_some() { IngestStatus::Queued } else { IngestStatus::Completed },
        keys: run.keys,
        signals_blind: None,
        review,
        lesson: None,
    };
    Ok(PreparedRun { trace, clues: link::LinkClues::of(trajectory.json(), run.ran, now) })
}

/// An untrusted key cannot change what charts show of earlier days.
fn check_reviewed_at(
    reviewed_at: DateTime<Utc>,
    run: TraceId,
    trust: Trust,
    now: SystemTime,
) -> Result<(), EngineError> {
    let problem = if trust == Trust::Untrusted {
        "must not be set by an untrusted key"
    } else if run.made_at().is_some_and(|ran_at| reviewed_at < DateTime::<Utc>::from(ran_at)) {
        "must not be before the time in trace_id"
    } else if reviewed_at > DateTime::<Utc>::from(now) {
        "must not be in the future"
    } else {
        return Ok(());
    };
    Err(EngineError::invalid("review.reviewed_at", problem))
}

fn check_sizes(run: &SubmittedRun) -> Result<(), EngineError> {
    check_task(&run.task)?;
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
    if run.keys.len() > MOST_KEYS {
        let problem = format!("has {} entries, at most {MOST_KEYS} are accepted", run.keys.len());
        return Err(EngineError::invalid("keys", problem));
    }
    for (name, value) in &run.keys {
        run_keys::check("keys", name, value)?;
    }
    check_feedback(run.review.as_ref().and_then(|review| review.feedback.as_deref()))?;
    if let Some(lesson) = run.review.as_ref().and_then(|review| review.authored.as_ref()) {
        lesson.check()?;
    }
    check_metadata(&run.metadata)
}

/// The digest of all that the client sent, except the id. Lengths are included, so different traces have different
/// input. A field of a later release is a part only if it is present, after a tag with its name, as `used` is: else a
/// request that is repeated after an upgrade would have another digest and be refused.
fn content_digest(run: &SubmittedRun, body_digest: &[u8; 32]) -> [u8; 32] {
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
    for (name, value) in &run.keys {
        part(Some("key"));
        part(Some(name.as_str()));
        part(Some(value));
    }
    if let Some(review) = &run.review {
        part(Some(review.result.as_str()));
        part(review.feedback.as_deref());
        part(review.alpha.map(|alpha| alpha.get().to_string()).as_deref());
        part(review.authored.as_ref().and_then(|lesson| serde_json::to_string(lesson).ok()).as_deref());
        if let Some(reviewed_at) = review.reviewed_at {
            part(Some("reviewed_at"));
            part(Some(&reviewed_at.to_rfc3339()));
        }
    }
    digest.update(body_digest);
    digest.finalize().into()
}

#[cfg(test)]
mod tests;
