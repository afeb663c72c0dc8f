//! Learning from a reviewed run: one function, whether the verdict came with the run or long after it.
//!
//! No transaction is open while a model is asked. What a model was paid for is kept the moment it
//! arrives, and the memory, its vector and the run's new state are stored together. So a process may be
//! stopped anywhere: the job comes again, pays for nothing twice, and a second memory is refused by a key.

mod embed;
mod expect;
mod lesson;
mod lint;
mod next_step;
mod offline;
mod place;
mod prompt;
mod quarantine;
mod reflect;

use std::time::Duration;

use reflect_model::ModelError;
use reflect_store::{Cost, LearnInput, LearnJob, ProjectCtx, StoreError};
use reflect_types::ReviewId;

use crate::{Engine, chain};
pub use lesson::AuthoredLesson;
pub(crate) use lesson::{Lesson, compose, memory, tidy};
use next_step::{MOST_ATTEMPTS, NextStep, next_step};
pub(crate) use reflect::cost;

/// How lessons are made.
#[derive(Debug, Clone)]
pub struct LearningSettings {
    /// The longest reflection, in tokens.
    pub reflection_tokens: u32,
    /// How much of a trajectory a model is shown, in tokens.
    pub trajectory_tokens: usize,
    /// The most tokens that models may be paid for in a day and a project; none for no limit.
    pub daily_tokens: Option<u64>,
}

impl Default for LearningSettings {
    fn default() -> Self {
        Self { reflection_tokens: 800, trajectory_tokens: 6000, daily_tokens: None }
    }
}

/// What stands between a review and its memory.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// No model wrote a lesson.
    Reflection(ModelError),
    /// There is a lesson, and no vector for it.
    Vector(ModelError),
    /// Models have cost this project as much as they may today.
    Budget { tokens: u64, rest: Duration },
    /// The store failed, so not even this can be written down.
    Store(StoreError),
}

impl From<StoreError> for Obstacle {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Engine {
    /// Turns a review into a memory, or into a run that says why not. An error means that the store
    /// could not be reached, and that the job has to come again.
    pub(crate) async fn learn(&self, job: LearnJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        // Before the attempt is counted: waiting for a provider is no attempt.
        let facts = self.facts(job.project()).await.ok();
        if let Some(rest) = self.models.closed_for(facts.and_then(|facts| facts.read_space)) {
            let reason = "waits for a model provider that does not answer";
            return project.postpone(job.review_id, reason, spread(rest), false).await;
        }
        let input = match project.start_learning(job.review_id).await {
            Ok(Some(input)) => input,
            Ok(None) => return Ok(()),
            Err(error @ StoreError::Corrupt { .. }) => {
                return project.give_up(job.review_id, &format!("the run cannot be read: {error}")).await;
            }
            Err(error) => return Err(error),
        };
        if input.attempt > MOST_ATTEMPTS {
            let reason = format!("learning was begun {MOST_ATTEMPTS} times and never came to an end");
            project.give_up(job.review_id, &reason).await?;
        } else if let Err(obstacle) = self.learn_from(&project, job, &input).await {
            self.stumble(&project, job, &input, obstacle).await?;
        }
        self.settled.announce(job.project(), input.trace_id);
        self.tell(job.project(), "traces", Some(input.trace_id.as_uuid()));
        Ok(())
    }

    async fn learn_from(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
    ) -> Result<(), Obstacle> {
        let lesson = self.lesson(project, job, input).await?;
        self.keep(project, job, input, lesson).await
    }

    async fn keep(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        lesson: Lesson,
    ) -> Result<(), Obstacle> {
        let mut memory = memory(input, lesson);
        self.complete_memory(job.project(), input, &mut memory).await?;
        if project.keep_memory(input.trace_id, job.review_id, &memory).await?.is_some() {
            self.tell(job.project(), "memories", Some(memory.memory_id.as_uuid()));
            metrics::counter!("reflect_memories_total", "origin" => memory.origin.as_str()).increment(1);
            tracing::info!(memory.id = %memory.memory_id, trace.id = %input.trace_id, "learned memory {} from trace {}", memory.memory_id, input.trace_id);
        }
        Ok(())
    }

    /// Something stands in the way: wait, do without, or give up.
    async fn stumble(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        obstacle: Obstacle,
    ) -> Result<(), StoreError> {
        let failures = input.failures + 1;
        let mut step = next_step(obstacle, failures, rand::random());
        if let NextStep::WithoutModel { reason } = &step {
            match self.do_without(project, job, input, reason).await? {
                None => return Ok(()),
                Some(other) => step = next_step(other, failures, rand::random()),
            }
        }
        let review: ReviewId = job.review_id;
        match step {
            NextStep::Again(error) => Err(error),
            NextStep::Wait { reason, delay, failed } => {
                tracing::warn!(trace.id = %input.trace_id, failures, reason, "learning waits: {reason}");
                project.postpone(review, &reason, delay, failed).await
            }
            NextStep::GiveUp { reason } | NextStep::WithoutModel { reason } => {
                metrics::counter!("reflect_learning_failures_total").increment(1);
                tracing::error!(trace.id = %input.trace_id, failures, reason, "learning is given up: {reason}");
                project.give_up(review, &reason).await
            }
        }
    }
}

impl Engine {
    /// A lesson without a model, because none could be read. Says what still stands in its way.
    async fn do_without(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
        reason: &str,
    ) -> Result<Option<Obstacle>, StoreError> {
        tracing::warn!(trace.id = %input.trace_id, reason, "learning goes on without a model: {reason}");
        let lesson = offline::lesson(input, Some(reason));
        // Kept like one that was paid for, so that it is the same one if it has to wait for its vector.
        let draft = serde_json::to_value(&lesson).unwrap_or_default();
        project.keep_draft(job.review_id, &draft, Cost::default()).await?;
        Ok(self.keep(project, job, input, lesson).await.err())
    }
}

/// What stands in the way, in words for the person who runs the server.
pub(crate) fn describe(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Reflection(error) => format!("no reflection could be written: {error}"),
        Obstacle::Vector(error) => format!("the memory could not be embedded: {error}"),
        Obstacle::Budget { tokens, .. } => {
            format!(
                "the project's budget of {tokens} tokens for today is used up; learning goes on at 00:00 UTC"
            )
        }
        Obstacle::Store(error) => chain(error),
    }
}

/// Those who wait for the same thing do not all come back at the same moment.
fn spread(rest: Duration) -> Duration {
    rest + rest.mul_f64(0.5 * rand::random::<f64>())
}
