//! Periodic maintenance, in every process that runs jobs.

use std::time::Duration;

use reflect_store::{AuditActor, EmbeddingMigration, MaintenanceReport, Store, StoreError};
use reflect_types::SpaceChangeState as State;
use tokio_util::sync::CancellationToken;

use crate::error::chain;
use crate::memory_indexer::MemoryIndexer;
use crate::project_cache::{self, ProjectCache};

const PERIOD: Duration = Duration::from_secs(60 * 60);
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// How long the old vectors are kept after a switch, for a rollback.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Gives other processes time to notice a change.
const PAUSE: Duration = Duration::from_secs(10);

/// What a migration needs.
#[derive(Debug, PartialEq, Eq)]
enum Need {
    Nothing,
    Work,
    End,
}

/// Runs periodic maintenance.
#[derive(Debug, Clone)]
pub struct Maintenance {
    store: Store,
    projects: ProjectCache,
    indexer: MemoryIndexer,
}

impl Maintenance {
    pub(crate) const fn new(store: Store, projects: ProjectCache, indexer: MemoryIndexer) -> Self {
        Self { store, projects, indexer }
    }

    /// Runs maintenance now and then every hour, until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            // Stopping in the middle is safe: uncommitted work is repeated next time.
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.store.maintenance().run() => round,
            };
            let pause = match round {
                Ok(done) => {
                    report(&done);
                    self.remove_expired(&stop).await;
                    self.index_memories(&stop).await;
                    PERIOD
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::error!(error, "maintenance failed and will be tried again in a minute");
                    AFTER_FAILURE
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Removes rows that are older than the retention settings of their project. Returns how many.
    pub async fn apply_retention(&self) -> Result<u64, StoreError> {
        let mut removed = 0;
        for (project, _) in self.store.catalogue().projects().await? {
            let settings = match self.store.catalogue().project_facts(project).await {
                Ok(facts) => project_cache::settings(&facts.settings),
                // The project was deleted meanwhile.
                Err(StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            removed += self.store.project(project).admin().apply_retention(&settings.retention).await?;
        }
        Ok(removed)
    }

    /// Continues migrations whose job was lost, and finishes old ones. Returns how many it finished.
    pub async fn advance_migrations(&self) -> Result<u64, StoreError> {
        let mut ended = 0;
        for (project, _) in self.store.catalogue().projects().await? {
            let store = self.store.project(project);
            let Some(change) = store.spaces().migration().await? else { continue };
            match need(&change) {
                Need::Nothing => {}
                Need::Work => store.spaces().postpone(&change, None, PAUSE).await?,
                Need::End => {
                    let actor = AuditActor::local("maintenance");
                    match store.spaces().finish(&change, &[State::Switched], &actor).await {
                        // Another process was faster, or the migration was rolled back.
                        Err(StoreError::Conflict { .. }) => continue,
                        done => done?,
                    }
                    self.projects.invalidate(project).await;
                    ended += 1;
                }
            }
        }
        Ok(ended)
    }

    /// Applies retention. Errors are logged and tried again next time.
    async fn remove_expired(&self, stop: &CancellationToken) {
        let removed = tokio::select! {
            () = stop.cancelled() => return,
            removed = self.apply_retention() => removed,
        };
        match removed {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "{removed} expired rows were removed"),
            Err(error) => tracing::warn!(%error, "expired rows could not be removed: {error}"),
        }
    }

    /// Adds missing vectors and advances migrations. Errors are logged and tried again next time.
    async fn index_memories(&self, stop: &CancellationToken) {
        let indexed = tokio::select! {
            () = stop.cancelled() => return,
            indexed = self.indexer.index_all() => indexed,
        };
        match indexed {
            Ok(0) => {}
            Ok(indexed) => tracing::info!(indexed, "{indexed} memories that had no vector were embedded"),
            Err(error) => tracing::warn!(%error, "memories without a vector could not be embedded: {error}"),
        }
        match self.advance_migrations().await {
            Ok(0) => {}
            Ok(ended) => tracing::info!(ended, "{ended} embedding migrations were finished"),
            Err(error) => {
                tracing::warn!(%error, "embedding migrations could not be advanced: {error}")
            }
        }
    }
}

fn report(done: &MaintenanceReport) {
    let strays = done.stray_rows();
    metrics::gauge!("reflect_default_partition_rows").set(strays as f64);
    if strays > 0 {
        tracing::warn!(
            rows = strays,
            "{strays} rows were in a default partition: a clock is wrong, or maintenance did not run"
        );
    }
    for work in done.partitions.iter().filter(|work| work.action == "made" || work.action == "dropped") {
        tracing::info!(partition = work.partition, "{} partition {}", work.action, work.partition);
    }
    if done.requeued > 0 {
        tracing::warn!(
            reviews = done.requeued,
            "{} reviews waited for learning without a job and were queued again",
            done.requeued
        );
    }
    if done.purged_rows + done.forgotten > 0 {
        tracing::info!(
            purged_rows = done.purged_rows,
            forgotten = done.forgotten,
            "maintenance removed old rows"
        );
    }
}

fn need(change: &EmbeddingMigration) -> Need {
    match change.state() {
        State::Switched if change.switched_seconds.is_some_and(|seconds| seconds >= KEPT.as_secs_f64()) => {
            Need::End
        }
        State::Filling => Need::Work,
        State::Abandoned | State::Finished if change.cleared_at.is_none() => Need::Work,
        _ => Need::Nothing,
    }
}
