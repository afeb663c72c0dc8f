//! Learning from a reviewed trace, whether the review came with the trace or later.
//!
//! No transaction is open while a model is called. A paid answer is stored when it arrives; the memory, its vectors and
//! the new state of the trace are stored together. The process may stop at any point: the job runs again, pays for
//! nothing twice, and a unique key prevents a second memory.

mod error;
mod feedback;
#[cfg(test)]
mod fuzz;
mod inferred_use;
mod lesson_writer;
mod model_lesson;
mod offline;
mod prompt;
mod recovery;
mod run_summary;
mod validation;

use std::time::Duration;

use reflect_store::{LearnInput, LearnJob, ModelCost, NewMemoryRow, ProjectCtx, Store, StoreError};
use reflect_types::{MemoryId, ProjectId, ReviewId};
use tracing::Span;
use tracing::field::Empty;

use crate::budget::TokenBudget;
use crate::completion::CompletionWaiters;
use crate::events::EventBus;
use crate::learning_settings::LearningSettings;
use crate::lessons::{MemoryBuilder, RunUnits, count_situations};
use crate::memory_indexer::MemoryIndexer;
use crate::models::{EmbedFailure, Embeddings, TextModels};
use crate::operations::{operation, traced};
use crate::project_cache::ProjectCache;
use error::LearnError;
use feedback::reviewer_words;
use inferred_use::InferredUse;
use lesson_writer::{LessonWriter, WrittenLesson};
use recovery::{MOST_ATTEMPTS, Recovery, recovery};

/// Turns reviews into memories.
#[derive(Debug, Clone)]
pub(crate) struct Learner {
    store: Store,
    projects: ProjectCache,
    models: TextModels,
    embeddings: Embeddings,
    writer: LessonWriter,
    memories: MemoryBuilder,
    uses: InferredUse,
    completion: CompletionWaiters,
    events: EventBus,
}

/// What the learner needs besides the store.
pub(crate) struct LearnerParts {
    pub(crate) projects: ProjectCache,
    pub(crate) models: TextModels,
    pub(crate) embeddings: Embeddings,
    pub(crate) budget: TokenBudget,
    pub(crate) settings: LearningSettings,
    pub(crate) memories: MemoryBuilder,
    pub(crate) indexer: MemoryIndexer,
    pub(crate) completion: CompletionWaiters,
    pub(crate) events: EventBus,
}

impl Learner {
    pub(crate) fn new(store: Store, parts: LearnerParts) -> Self {
        let LearnerParts {
            projects,
            models,
            embeddings,
            budget,
            settings,
            memories,
            indexer,
            completion,
            events,
        } = parts;
        let writer = LessonWriter::new(models.clone(), budget, settings);
        let uses = InferredUse::new(store.clone(), projects.clone(), indexer);
        Self { store, projects, models, embeddings, writer, memories, uses, completion, events }
    }

    /// Turns a review into a memory, or stores why that failed. An error means that the store could not be reached and
    /// that the job has to run again.
    pub(crate) async fn learn(&self, job: LearnJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        // Before the attempt is counted: waiting for a provider is not an attempt.
        let facts = self.projects.facts(job.project()).await.ok();
        if let Some(rest) = self.retry_after(facts.and_then(|facts| facts.read_space)) {
            let reason = "waits for a model provider that does not answer";
            return project.learning().postpone(job.review_id, reason, spread(rest), false).await;
        }
        let input = match project.learning().start(job.review_id).await {
            Ok(Some(input)) => input,
            Ok(None) => return Ok(()),
            Err(error @ StoreError::Corrupt { .. }) => {
                return project
                    .learning()
                    .fail(job.review_id, &format!("the run cannot be read: {error}"))
                    .await;
            }
            Err(error) => return Err(error),
        };
        if input.attempt > MOST_ATTEMPTS {
            let reason = format!("learning was started {MOST_ATTEMPTS} times and never finished");
            project.learning().fail(job.review_id, &reason).await?;
        } else if let Err(error) = self.learn_from(&project, job, &input).await {
            self.handle_failure(&project, job, &input, error).await?;
        }
        self.completion.notify(job.project(), input.trace_id);
        self.events.publish(job.project(), "traces", Some(input.trace_id.as_uuid()));
        Ok(())
    }

    /// How long learning waits because a provider that it needs does not answer.
    fn retry_after(&self, read_space: Option<reflect_store::SpaceId>) -> Option<Duration> {
        self.models.retry_after().into_iter().chain(self.embeddings.retry_after(read_space)).max()
    }

    async fn learn_from(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
    ) -> Result<(), LearnError> {
        // The steps of a pass without words need no model.
        let lesson = match run_units(input).first_step() {
            Some(lesson) => WrittenLesson { lesson, cost: None },
            None => {
                let span =
                    operation!("reflection", reflect.trace_id = %input.trace_id, reflect.tokens = Empty);
                let note = |span: &Span, written: &WrittenLesson| {
                    let tokens = written.cost.map(|cost| cost.input_tokens + cost.output_tokens);
                    span.record("reflect.tokens", tokens.unwrap_or_default());
                };
                traced(span, Box::pin(self.writer.lesson(project, job, input)), note).await?
            }
        };
        let span = operation!("create_memory", reflect.trace_id = %input.trace_id);
        traced(span, Box::pin(self.store_lesson(project, job, input, lesson)), |_, ()| {}).await
    }

    /// Stores a lesson as a memory. A lesson that a model has just written is stored as a draft at once, while the memory
    /// is embedded.
    async fn store_lesson(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        WrittenLesson { lesson, cost }: WrittenLesson,
    ) -> Result<(), LearnError> {
        let learning = project.learning();
        let draft = cost.map(|cost| (serde_json::to_value(&lesson).unwrap_or_default(), cost));
        let save = async {
            match &draft {
                Some((draft, cost)) => learning.save_draft(job.review_id, draft, *cost).await,
                None => Ok(()),
            }
        };
        let complete = async {
            let units = run_units(input);
            let mut memory = units.memory(input, lesson);
            let uses = self.uses.infer(job.project(), input, &units, &mut memory).await;
            let replay = self.memories.complete(job.project(), input, &mut memory, true).await?;
            Ok::<_, EmbedFailure>((memory, replay, uses))
        };
        let (saved, completed) = tokio::join!(save, complete);
        saved?;
        let (memory, replay, uses) = completed?;
        // After the draft: the memory replaces it.
        if let Some(created) = learning.finish(input.trace_id, job.review_id, &memory).await? {
            self.announce(job.project(), input, &memory, created);
            self.memories.record_statistics(job.project(), replay.as_ref(), &uses).await;
        }
        Ok(())
    }

    /// Publishes and counts what was learned. `created` is the memory, or the one that absorbed it.
    fn announce(&self, project: ProjectId, input: &LearnInput, memory: &NewMemoryRow, created: MemoryId) {
        self.events.publish(project, "memories", Some(created.as_uuid()));
        self.events.publish(project, "lessons", None);
        count_situations(memory);
        let situations = 1 + memory.lesson.steps.len() as u64;
        metrics::counter!("reflect_memories_total", "origin" => memory.origin.as_str()).increment(situations);
        tracing::info!(memory.id = %created, trace.id = %input.trace_id, "learned memory {created} from trace {}", input.trace_id);
    }

    /// Waits, falls back to a lesson without a model, or marks the trace as failed.
    async fn handle_failure(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        error: LearnError,
    ) -> Result<(), StoreError> {
        let failures = input.failures + 1;
        let mut next = recovery(error, failures, rand::random());
        if let Recovery::Fallback { reason } = &next {
            match self.fallback(project, job, input, reason).await {
                None => return Ok(()),
                Some(other) => next = recovery(other, failures, rand::random()),
            }
        }
        let review: ReviewId = job.review_id;
        match next {
            Recovery::Requeue(error) => Err(error),
            Recovery::Wait { reason, delay, failed } => {
                tracing::warn!(trace.id = %input.trace_id, failures, reason, "learning waits: {reason}");
                project.learning().postpone(review, &reason, delay, failed).await
            }
            Recovery::Fail { reason } | Recovery::Fallback { reason } => {
                metrics::counter!("reflect_learning_failures_total").increment(1);
                tracing::error!(trace.id = %input.trace_id, failures, reason, "learning failed: {reason}");
                project.learning().fail(review, &reason).await
            }
        }
    }

    /// Stores a lesson that is composed without a model, because no answer of the model could be read. Returns the
    /// error if that fails too.
    async fn fallback(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        reason: &str,
    ) -> Option<LearnError> {
        tracing::warn!(trace.id = %input.trace_id, reason, "learning continues without a model: {reason}");
        // Stored as a draft, to reuse the same lesson if it has to wait for its vector.
        let lesson = offline::lesson(input, Some(reason));
        let lesson = WrittenLesson { lesson, cost: Some(ModelCost::default()) };
        self.store_lesson(project, job, input, lesson).await.err()
    }
}

/// What a run is split into.
fn run_units(input: &LearnInput) -> RunUnits {
    RunUnits::of(input, has_words(input))
}

/// Whether the reviewer said more than the verdict, or sent a lesson.
fn has_words(input: &LearnInput) -> bool {
    input.authored.is_some() || reviewer_words(input.feedback.as_deref()).is_some()
}

/// Adds jitter: jobs that wait for the same provider do not all run again at the same time.
fn spread(rest: Duration) -> Duration {
    rest + rest.mul_f64(0.5 * rand::random::<f64>())
}
