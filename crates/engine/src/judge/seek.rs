//! Looking for runs that wait for a judge, every few seconds.

use std::collections::HashMap;
use std::time::Duration;

use reflect_store::{JudgeCandidate, ProjectCtx, StoreError};
use reflect_types::{ProjectId, TraceId};
use tokio_util::sync::CancellationToken;

use super::{Agreement, JudgeSettings, lot};
use crate::{Engine, chain, manage_project};

/// A judge is in no hurry.
const PERIOD: Duration = Duration::from_secs(5);
/// How many pending runs one look goes through: a project may have any number that are pending for good.
const PAGE: i64 = 500;
/// More in the queue would be there for nothing when a setting changes.
const MOST_QUEUED: i64 = 100;

/// Remembers how far it has come in each project. Other processes have their own; looking twice does no harm.
#[derive(Debug, Default)]
pub(crate) struct Seeker {
    /// Where to go on behind the newest page.
    cursors: HashMap<ProjectId, TraceId>,
}

impl Engine {
    /// Queues runs for the judges of all projects as they become old enough, until told to stop.
    pub(crate) async fn seek_runs_to_judge(&self, stop: CancellationToken) {
        let mut seeker = Seeker::default();
        loop {
            let looked = tokio::select! {
                () = stop.cancelled() => return,
                looked = seeker.look(self) => looked,
            };
            if let Err(error) = looked {
                let error = chain(&error);
                tracing::debug!(error, "runs that wait for a judge could not be looked for");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Queues what waits for a judge now, at most a hundred runs of each project. Says how many.
    pub async fn queue_judgements(&self) -> Result<usize, StoreError> {
        let mut seeker = Seeker::default();
        let newest = seeker.look(self).await?;
        // Behind the newest page, one page further.
        Ok(newest + seeker.look(self).await?)
    }
}

impl Seeker {
    /// One look at every project whose judge is switched on. Says how many runs were queued.
    pub(crate) async fn look(&mut self, engine: &Engine) -> Result<usize, StoreError> {
        if engine.models.judge().is_none() {
            return Ok(0);
        }
        let mut queued = 0;
        for (id, settings) in engine.store.judging_projects().await? {
            let settings = manage_project::read(&settings).judge;
            // What fails in one project must not keep the others waiting.
            match self.look_into(engine, id, &settings).await {
                Ok(found) => queued += found,
                Err(error) => {
                    tracing::warn!(error = chain(&error), "a project's runs could not be looked through");
                }
            }
        }
        Ok(queued)
    }

    async fn look_into(
        &mut self,
        engine: &Engine,
        id: ProjectId,
        settings: &JudgeSettings,
    ) -> Result<usize, StoreError> {
        let Some((model, _)) = engine.models.judge().filter(|_| settings.enabled) else { return Ok(0) };
        let project = engine.store.project(id);
        let room = MOST_QUEUED - project.judge_jobs().await?;
        if room <= 0 || engine.judge_spent(&project, id, settings).await?.is_some() {
            return Ok(0);
        }
        let judge = settings.identity(model.name());
        let stopped = Agreement::of(project.judge_pairs(&judge).await?).stopped;
        let age = Duration::from_secs(settings.delay_seconds);
        let mut found = project.judge_candidates(&judge, None, age, PAGE).await?;
        if is_full(&found) {
            let from = self.cursors.remove(&id).or_else(|| found.last().map(|run| run.trace_id));
            let further = project.judge_candidates(&judge, from, age, PAGE).await?;
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
        let lot = lot::draw(run.trace_id, settings);
        run.waits && lot.sampled && (lot.blind || !stopped)
    };
    let wanted: Vec<TraceId> = found.iter().filter(wanted).map(|run| run.trace_id).take(room).collect();
    if !wanted.is_empty() {
        project.queue_for_judge(&wanted, 0, Duration::ZERO).await?;
    }
    Ok(wanted.len())
}
