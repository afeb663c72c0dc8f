//! Queues pending runs for the judge, every few seconds.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reflect_store::{JudgeCandidate, ProjectCtx, Store, StoreError};
use reflect_types::{JudgeSettings, ProjectId, TraceId};
use tokio_util::sync::CancellationToken;

use super::budget::JudgeBudget;
use super::sample;
use super::service::Judge;
use super::stop_notice::StopNotices;
use crate::agreement::Agreement;
use crate::error::chain;
use crate::judge_settings::judge_identity;
use crate::models::TextModels;
use crate::project_cache;

/// Judging is not urgent.
const PERIOD: Duration = Duration::from_secs(5);
/// The scheduler works at most this part of the time, however many projects there are.
const SHARE: u32 = 10;
/// How many pending runs are read at once: a project may have many that stay pending.
const PAGE: i64 = 500;
/// A longer queue would contain outdated jobs after a change of settings.
const MOST_QUEUED: i64 = 100;

/// Finds pending runs and queues them. Each process has its own scheduler; to queue a run twice does no harm.
#[derive(Debug)]
struct Scheduler {
    store: Store,
    models: TextModels,
    budget: JudgeBudget,
    /// The next page to read after the newest one, by project.
    cursors: HashMap<ProjectId, TraceId>,
    notices: StopNotices,
}

impl Judge {
    /// Queues runs for the judges of all projects when they are old enough, until `stop` is cancelled.
    pub(crate) async fn schedule(&self, stop: CancellationToken) {
        let mut scheduler = self.scheduler();
        loop {
            let began = Instant::now();
            let queued = tokio::select! {
                () = stop.cancelled() => return,
                queued = scheduler.queue_all() => queued,
            };
            if let Err(error) = queued {
                let error = chain(&error);
                tracing::debug!(error, "runs that wait for a judge could not be queued");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD.max(began.elapsed() * (SHARE - 1))) => {}
            }
        }
    }

    /// Queues the runs that wait for a judge now, at most a hundred of each project. Returns how many.
    pub async fn queue_pending(&self) -> Result<usize, StoreError> {
        let mut scheduler = self.scheduler();
        let newest = scheduler.queue_all().await?;
        // The second call reads one page further.
        Ok(newest + scheduler.queue_all().await?)
    }

    fn scheduler(&self) -> Scheduler {
        let (store, models, budget) = (self.store.clone(), self.models.clone(), self.budget.clone());
        Scheduler { store, models, budget, cursors: HashMap::new(), notices: StopNotices::default() }
    }
}

impl Scheduler {
    /// Queues pending runs of every project whose judge is enabled. Returns how many.
    async fn queue_all(&mut self) -> Result<usize, StoreError> {
        if self.models.judge().is_none() {
            return Ok(0);
        }
        let mut queued = 0;
        for (id, settings, types) in self.store.catalogue().judging_projects().await? {
            let settings = project_cache::settings(&settings).judge;
            // An error in one project must not delay the others.
            match self.queue_project(id, &settings, types).await {
                Ok(found) => queued += found,
                Err(error) => {
                    tracing::warn!(error = chain(&error), "the runs of a project could not be queued");
                }
            }
        }
        Ok(queued)
    }

    async fn queue_project(
        &mut self,
        id: ProjectId,
        settings: &JudgeSettings,
        types: i32,
    ) -> Result<usize, StoreError> {
        let Some((model, _)) = self.models.judge().filter(|_| settings.enabled) else { return Ok(0) };
        let project = self.store.project(id);
        let judge = judge_identity(settings, model.name());
        let agreement = Agreement::of(project.judgements().pairs(&judge).await?);
        // Before the limits: a judge is also stopped while its queue is full or its budget is spent.
        if let Err(error) = self.notices.announce(&self.store, id, types, model.name(), &agreement).await {
            tracing::warn!(error = chain(&error), "a stopped judge could not be announced");
        }
        let room = MOST_QUEUED - project.judgements().queued().await?;
        if room <= 0 || self.budget.spent(&project, id, settings).await?.is_some() {
            return Ok(0);
        }
        let stopped = agreement.stopped;
        let age = Duration::from_secs(settings.delay_seconds);
        let mut found = project.judgements().candidates(&judge, None, age, PAGE).await?;
        if is_full(&found) {
            let from = self.cursors.remove(&id).or_else(|| found.last().map(|run| run.trace_id));
            let further = project.judgements().candidates(&judge, from, age, PAGE).await?;
            if let Some(last) = further.last().filter(|_| is_full(&further)) {
                self.cursors.insert(id, last.trace_id);
            }
            found.extend(further);
        }
        queue(&project, &found, settings, stopped, usize::try_from(room).unwrap_or(0)).await
    }
}

fn is_full(page: &[JudgeCandidate]) -> bool {
    page.len() as i64 == PAGE
}

async fn queue(
    project: &ProjectCtx,
    found: &[JudgeCandidate],
    settings: &JudgeSettings,
    stopped: bool,
    room: usize,
) -> Result<usize, StoreError> {
    let wanted = |run: &&JudgeCandidate| {
        let drawn = sample::draw(run.trace_id, settings);
        run.waits && drawn.sampled && (drawn.blind || !stopped)
    };
    let wanted: Vec<TraceId> = found.iter().filter(wanted).map(|run| run.trace_id).take(room).collect();
    if !wanted.is_empty() {
        project.judgements().enqueue(&wanted, 0, Duration::ZERO).await?;
    }
    Ok(wanted.len())
}
