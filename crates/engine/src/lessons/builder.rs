//! From a lesson to a memory that can be stored: its vectors, how likely its run was to pass, and the lesson it joins.

use std::iter;
use std::mem;

use reflect_rules::lessons::Placement;
use reflect_store::{LearnInput, NewMemoryRow, ReplayStep, SearchBy, SpaceId, Store};
use reflect_types::{CrashPoint, ProjectId};
use serde_json::Value;

use super::draft::authored_lesson;
use super::planner::{LessonPlanner, Planned};
use super::run_units::{RunUnits, join_own_steps};
use crate::credit::{
    NEIGHBOURS, NEIGHBOURS_OF_MEMORY, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success,
};
use crate::error::chain;
use crate::memory_indexer::MemoryIndexer;
use crate::models::EmbedFailure;

/// A vector and its space.
type TaskVector = (SpaceId, Vec<f32>);

/// What is counted when a lesson that came with its review is stored.
#[derive(Debug, Clone)]
pub(crate) struct AuthoredStatistics {
    /// Where its situations belong.
    placements: Vec<Placement>,
    /// What the review says about the ranking.
    replay: Option<ReplayStep>,
}

/// Completes new memories.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBuilder {
    store: Store,
    indexer: MemoryIndexer,
    planner: LessonPlanner,
}

impl MemoryBuilder {
    pub(crate) const fn new(store: Store, indexer: MemoryIndexer, planner: LessonPlanner) -> Self {
        Self { store, indexer, planner }
    }

    /// The memory of a lesson that came with its review, and what is counted when it is stored. `None` if it cannot be
    /// embedded now: the lesson then waits in the queue.
    pub(crate) async fn authored_memory(
        &self,
        project: ProjectId,
        input: &LearnInput,
        authored: Value,
    ) -> Option<(NewMemoryRow, AuthoredStatistics)> {
        let lesson = authored_lesson(authored, &input.trajectory);
        let mut memory = RunUnits::of(input, true).memory(input, lesson);
        match self.complete(project, input, &mut memory, false).await {
            Ok(replay) => {
                let placements = placements(&memory);
                Some((memory, AuthoredStatistics { placements, replay }))
            }
            Err(error) => {
                tracing::warn!(trace.id = %input.trace_id, %error, "an authored lesson is queued because it could not be embedded: {error}");
                None
            }
        }
    }

    /// Counts a lesson that came with its review, after it was stored.
    pub(crate) async fn record_authored(&self, project: ProjectId, stored: &AuthoredStatistics) {
        count(&stored.placements);
        self.record_statistics(project, stored.replay.as_ref(), &[]).await;
    }

    /// Adds the vectors of a memory, the expected success of its run, and the plan for its lesson; the same for the other
    /// situations of the run. Returns what the review says about the ranking. `ask_model`: there is time to ask a model.
    pub(crate) async fn complete(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &mut NewMemoryRow,
        ask_model: bool,
    ) -> Result<Option<ReplayStep>, EmbedFailure> {
        let mut steps = mem::take(&mut memory.lesson.steps);
        let mut situations: Vec<&mut NewMemoryRow> = iter::once(&mut *memory).chain(&mut steps).collect();
        let mut tasks = self.embed(project, &mut situations).await?.into_iter();
        let task = tasks.next().flatten();
        let replay = self.plan(project, input, memory, task.as_ref(), ask_model).await?;
        memory.expected = self.expected(project, input, memory, task).await?;
        for (step, task) in steps.iter_mut().zip(tasks) {
            self.plan(project, input, step, task.as_ref(), false).await?;
            // The run is reviewed once, so only its first situation supersedes others.
            step.lesson.contradicting.clear();
        }
        memory.lesson.steps = steps;
        join_own_steps(memory);
        Ok(replay)
    }

    /// Adds the vectors of the situations of a run, which are embedded together: a run can have 50 steps, and a client may
    /// wait. Returns the vectors of their tasks, in order.
    async fn embed(
        &self,
        project: ProjectId,
        situations: &mut [&mut NewMemoryRow],
    ) -> Result<Vec<Option<TaskVector>>, EmbedFailure> {
        let texts = situations.iter().map(|one| (one.task.as_str(), one.reflection.as_str()));
        let texts: Vec<(&str, &str)> = texts.collect();
        CrashPoint::LearnEmbed.before();
        let vectors = self.indexer.vectors_of(project, &texts).await?;
        CrashPoint::LearnEmbed.after();
        let tasks = self.indexer.task_vectors(project, &texts, &vectors).await?;
        for (one, vectors) in situations.iter_mut().zip(vectors) {
            one.vectors = vectors;
        }
        Ok(tasks)
    }

    /// Adds the plan for the lesson of one situation. `task` is the vector of its task.
    async fn plan(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &mut NewMemoryRow,
        task: Option<&TaskVector>,
        ask_model: bool,
    ) -> Result<Option<ReplayStep>, EmbedFailure> {
        let Planned { plan, replay } = self.planner.plan(project, input, memory, task, ask_model).await?;
        memory.lesson = plan;
        Ok(replay)
    }

    /// Stores what a review says about rankings and about use. A failure is logged: statistics are no reason to learn
    /// again.
    pub(crate) async fn record_statistics(
        &self,
        project: ProjectId,
        replay: Option<&ReplayStep>,
        uses: &[(f32, bool)],
    ) {
        if replay.is_none() && uses.is_empty() {
            return;
        }
        let recorded = self.store.project(project).lessons().record_statistics(replay, uses).await;
        if let Err(error) = recorded {
            let error = chain(&error);
            tracing::warn!(error, "the statistics of learning were not stored: {error}");
        }
    }

    /// How likely the run was to pass, whatever memories it had. `None` if it had none, since credit is not computed
    /// then. `task` is the vector of the task of the memory.
    async fn expected(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &NewMemoryRow,
        task: Option<TaskVector>,
    ) -> Result<Option<f32>, EmbedFailure> {
        if input.linked.is_empty() {
            return Ok(None);
        }
        // The memory of a step is about a state, not about the task of the run.
        let task = match memory.task == input.task || task.is_none() {
            true => task,
            false => self
                .indexer
                .texts(project, std::slice::from_ref(&input.task))
                .await?
                .and_then(|(space, vectors)| vectors.into_iter().next().map(|vector| (space, vector))),
        };
        let mut search = self.store.project(project).memories().search(SearchBy::Vector).await?;
        // The run's own review must not count as evidence for its expected success.
        let (reviews, passes) = search.recent_reviews(RECENT_REVIEWS, input.review_id).await?;
        let mut neighbours = Vec::new();
        if let Some((space, vector)) = task {
            let found = search.neighbours(space, &vector, NEIGHBOURS, NEIGHBOURS_OF_MEMORY).await?;
            let found = found.into_iter();
            neighbours =
                found.map(|run| Neighbour { similarity: run.similarity, passed: run.passed }).collect();
        }
        search.close().await?;
        Ok(Some(expected_success(ReviewTally { reviews, passes }, &neighbours)))
    }
}

/// Counts the situations of a run by the lessons that they join.
pub(crate) fn count_situations(memory: &NewMemoryRow) {
    count(&placements(memory));
}

fn placements(memory: &NewMemoryRow) -> Vec<Placement> {
    let plans = iter::once(&memory.lesson).chain(memory.lesson.steps.iter().map(|step| &step.lesson));
    plans.map(|plan| plan.placement).collect()
}

fn count(placements: &[Placement]) {
    for placement in placements {
        let name = match placement {
            Placement::Apart | Placement::Own => "own",
            Placement::Join(_) => "joined",
            Placement::Absorb(_) => "absorbed",
        };
        let by = placement.joined().map_or("none", |joined| joined.by.as_str());
        metrics::counter!("reflect_situations_total", "placement" => name, "by" => by).increment(1);
    }
}
