//! Periodic maintenance, by one process at a time.
//!
//! Maintenance is a list of isolated steps. Each has its own progress, time limit and error: a step or a project that
//! fails stops no other. The progress is stored, so another process continues where this one stopped.

mod lesson_grouping;
mod migrations;
mod schedule;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reflect_store::{
    MaintainedProject, MaintenanceStep, PartitionWork, StepProgress, Store, StoreError, stray_rows,
};
use reflect_types::{ProjectId, WebhookEventType};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::health_watch::HealthWatch;
use crate::memory_indexer::MemoryIndexer;
use crate::models::EmbedFailure;
use crate::project_cache::{self, ProjectCache};

/// How often a process looks for steps that are due.
const INTERVAL: Duration = Duration::from_secs(60);
/// The pause if a step has not ended.
const PAUSE: Duration = Duration::from_secs(5);
/// How long one step may work before the next one has its turn.
const BUDGET: Duration = Duration::from_secs(10);
/// How many failed projects of one cycle are logged.
const LOGGED_FAILURES: i32 = 10;

type UnfinishedProjects = HashMap<MaintenanceStep, VecDeque<MaintainedProject>>;

/// Runs periodic maintenance.
#[derive(Debug, Clone)]
pub struct Maintenance {
    store: Store,
    projects: ProjectCache,
    indexer: MemoryIndexer,
    health: HealthWatch,
    /// Projects with more work than fits into the time limit. They are continued when all others were visited.
    unfinished: Arc<Mutex<UnfinishedProjects>>,
}

impl Maintenance {
    pub(crate) fn new(
        store: Store,
        projects: ProjectCache,
        indexer: MemoryIndexer,
        health: HealthWatch,
    ) -> Self {
        Self { store, projects, indexer, health, unfinished: Arc::default() }
    }

    /// Runs the steps that are due now and then every minute, until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        let mut is_start = true;
        loop {
            // Stopping in the middle is safe: uncommitted work is repeated next time.
            let ran = tokio::select! {
                () = stop.cancelled() => return,
                ran = self.run_due_steps(is_start) => ran,
            };
            let pause = match ran {
                Ok(pause) => {
                    is_start = false;
                    pause
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::error!(error, "maintenance failed and will be tried again in a minute");
                    INTERVAL
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Runs the steps that are due, if no other process does maintenance. Returns the pause until the next attempt.
    async fn run_due_steps(&self, mut is_start: bool) -> Result<Duration, StoreError> {
        let steps = self.store.maintenance().steps();
        let Some(mut leader) = steps.lead().await? else { return Ok(INTERVAL) };
        // Leads until every cycle has ended, because only this process knows its unfinished projects.
        loop {
            let mut all_ended = true;
            for step in schedule::due_steps(&steps.all().await?, is_start) {
                if !leader.leads().await {
                    return Ok(PAUSE);
                }
                all_ended &= self.run_step(step, BUDGET).await?;
            }
            if all_ended {
                break;
            }
            is_start = false;
            tokio::time::sleep(PAUSE).await;
        }
        leader.resign().await;
        Ok(INTERVAL)
    }

    /// Continues a step for a limited time and stores its progress. Returns whether its cycle has ended. An error means
    /// that the progress could not be stored.
    pub async fn run_step(&self, step: MaintenanceStep, budget: Duration) -> Result<bool, StoreError> {
        let began = Instant::now();
        let steps = self.store.maintenance().steps();
        let state = steps.all().await?.into_iter().find(|state| state.step == step);
        let mut progress = schedule::progress(step, state.as_ref());
        if progress.visited == ProjectId::INSTALLATION {
            self.unfinished_of(step).clear();
        }
        let worked = match schedule::visits_projects(step) {
            true => self.visit_all(&mut progress, began + budget).await,
            false => self.work(step).await.map(|count| (true, count)),
        };
        match worked {
            Ok((ended, count)) => {
                progress.ended = ended;
                report(step, count);
            }
            Err(error) => {
                let error = chain(&error);
                tracing::error!(step = step.name(), error, "the maintenance step {} failed", step.name());
                // The projects that follow are visited next time.
                progress.ended = !schedule::visits_projects(step);
                progress.error = Some(error);
            }
        }
        progress.worked += began.elapsed();
        steps.save(&progress).await?;
        Ok(progress.ended)
    }

    /// The work of a step that concerns the whole database. Returns how many rows or jobs it changed.
    async fn work(&self, step: MaintenanceStep) -> Result<u64, StoreError> {
        let store = self.store.maintenance();
        match step {
            MaintenanceStep::Partitions => {
                report_partitions(&store.keep_partitions().await?);
                Ok(0)
            }
            MaintenanceStep::AuditChains => store.audit_chains().prune().await.map(|()| 0),
            MaintenanceStep::Sessions => store.remove_sessions().await,
            MaintenanceStep::Jobs => self.store.jobs().adopt().await,
            _ => Ok(0),
        }
    }

    /// Visits projects until all were visited or the time is over. Returns whether all were, and how many rows or jobs
    /// were changed.
    async fn visit_all(
        &self,
        progress: &mut StepProgress,
        until: Instant,
    ) -> Result<(bool, u64), StoreError> {
        let mut count = 0;
        loop {
            let page = self.page(progress.step, progress.visited).await?;
            if page.is_empty() {
                break;
            }
            for project in page {
                if Instant::now() >= until {
                    return Ok((false, count));
                }
                let number = project.project_id;
                count += self.visit(project, progress, until).await?;
                progress.visited = number;
            }
        }
        while Instant::now() < until {
            let next = self.unfinished_of(progress.step).pop_front();
            let Some(project) = next else { return Ok((true, count)) };
            count += self.visit(project, progress, until).await?;
        }
        Ok((self.unfinished_of(progress.step).is_empty(), count))
    }

    async fn page(
        &self,
        step: MaintenanceStep,
        after: ProjectId,
    ) -> Result<Vec<MaintainedProject>, StoreError> {
        if step != MaintenanceStep::DeletedProjects {
            return self.store.maintenance().project_page(after).await;
        }
        let deleted = self.store.maintenance().deleted_page(after).await?;
        let unknown = |project_id| MaintainedProject {
            project_id,
            settings: Value::Null,
            has_vectors: false,
            has_signals: false,
            webhook_types: 0,
        };
        Ok(deleted.into_iter().map(unknown).collect())
    }

    /// Works on one project. Its failure is noted and is an error only if the database cannot be reached, because then
    /// every other project would fail too.
    async fn visit(
        &self,
        project: MaintainedProject,
        progress: &mut StepProgress,
        until: Instant,
    ) -> Result<u64, StoreError> {
        let step = progress.step;
        match tokio::time::timeout_at(until, self.work_on(step, &project)).await {
            Ok(Ok(count)) => Ok(count),
            // The project was deleted meanwhile.
            Ok(Err(EmbedFailure::Store(StoreError::NotFound { .. }))) => Ok(0),
            Ok(Err(EmbedFailure::Store(error))) if error.is_unreachable() => Err(error),
            Ok(Err(error)) => {
                let error = format!("project {}: {}", project.project_id.number(), chain(&error));
                progress.failed_projects += 1;
                if progress.failed_projects <= LOGGED_FAILURES {
                    tracing::warn!(step = step.name(), error, "maintenance failed in one project");
                }
                progress.error.get_or_insert(error);
                Ok(0)
            }
            Err(_) => {
                self.unfinished_of(step).push_back(project);
                Ok(0)
            }
        }
    }

    /// The work of a step on one project. Can be interrupted and run again.
    async fn work_on(&self, step: MaintenanceStep, project: &MaintainedProject) -> Result<u64, EmbedFailure> {
        let number = project.project_id;
        let store = self.store.maintenance();
        match step {
            MaintenanceStep::LostJobs => Ok(store.requeue_lost(project).await?),
            MaintenanceStep::ExpiredRows => Ok(store.remove_unneeded(number).await?),
            MaintenanceStep::DeletedProjects => Ok(store.purge(number).await?),
            MaintenanceStep::Retention => {
                let retention = project_cache::settings(&project.settings).retention;
                Ok(self.store.project(number).admin().apply_retention(&retention).await?)
            }
            MaintenanceStep::Vectors => self.indexer.index_project(number).await,
            MaintenanceStep::Health if project.receives(WebhookEventType::HealthChanged) => {
                Ok(self.health.check(number).await?)
            }
            MaintenanceStep::Lessons => Ok(lesson_grouping::advance(&self.store, project).await?),
            MaintenanceStep::Migrations if project.has_vectors => {
                Ok(migrations::advance(&self.store, &self.projects, number).await?)
            }
            _ => Ok(0),
        }
    }

    fn unfinished_of(&self, step: MaintenanceStep) -> UnfinishedGuard<'_> {
        UnfinishedGuard { all: self.unfinished.lock().unwrap_or_else(PoisonError::into_inner), step }
    }
}

/// The unfinished projects of one step.
struct UnfinishedGuard<'a> {
    all: std::sync::MutexGuard<'a, UnfinishedProjects>,
    step: MaintenanceStep,
}

impl UnfinishedGuard<'_> {
    fn push_back(mut self, project: MaintainedProject) {
        self.all.entry(self.step).or_default().push_back(project);
    }

    fn pop_front(mut self) -> Option<MaintainedProject> {
        self.all.get_mut(&self.step)?.pop_front()
    }

    fn is_empty(&self) -> bool {
        self.all.get(&self.step).is_none_or(VecDeque::is_empty)
    }

    fn clear(mut self) {
        self.all.remove(&self.step);
    }
}

fn report_partitions(partitions: &[PartitionWork]) {
    let strays = stray_rows(partitions);
    metrics::gauge!("reflect_default_partition_rows").set(strays as f64);
    if strays > 0 {
        tracing::warn!(
            rows = strays,
            "{strays} rows were in a default partition: a clock is wrong, or maintenance did not run"
        );
    }
    for work in partitions.iter().filter(|work| work.action == "made" || work.action == "dropped") {
        tracing::info!(partition = work.partition, "{} partition {}", work.action, work.partition);
    }
}

fn report(step: MaintenanceStep, count: u64) {
    let what = match step {
        MaintenanceStep::Partitions | MaintenanceStep::AuditChains => return,
        MaintenanceStep::LostJobs => {
            "reviews, erasures, waiting signals and runs of spans without a job were queued again"
        }
        MaintenanceStep::Jobs => "jobs of unknown workers were returned to the queue",
        MaintenanceStep::Sessions | MaintenanceStep::ExpiredRows => "rows that are not needed were removed",
        MaintenanceStep::Retention => "expired rows were removed",
        MaintenanceStep::Vectors => "memories that had no vector were embedded",
        MaintenanceStep::Lessons => "memories were grouped into lessons",
        MaintenanceStep::Migrations => "embedding migrations were finished",
        MaintenanceStep::Health => "changes of loop health were announced",
        MaintenanceStep::DeletedProjects => "rows of deleted projects were removed",
    };
    if count > 0 {
        tracing::info!(step = step.name(), count, "{count} {what}");
    }
}
