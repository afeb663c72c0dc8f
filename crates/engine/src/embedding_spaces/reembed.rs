//! Embeds the memories of a project in its new space, in batches, in the order of their ids. The progress is stored
//! with the vectors, so the job may be interrupted at any time.

use std::time::{Duration, Instant};

use reflect_model::Remedy;
use reflect_store::{EmbeddingMigration, ProjectCtx, ReembedJob, Store, StoreError};
use reflect_types::{ProjectId, SpaceChangeState as State};

use crate::memory_indexer::MemoryIndexer;
use crate::models::EmbedFailure;

/// With a longer slice, migrations of other projects would wait too long.
const SLICE: Duration = Duration::from_secs(5);
/// The pause if the provider asks for none.
const PAUSE: Duration = Duration::from_secs(5);
/// The pause for errors that need another configuration or another process.
const LONG_PAUSE: Duration = Duration::from_secs(30);

/// Embeds the memories of a project in its new space.
#[derive(Debug, Clone)]
pub(crate) struct Reembedder {
    store: Store,
    indexer: MemoryIndexer,
}

impl Reembedder {
    pub(crate) const fn new(store: Store, indexer: MemoryIndexer) -> Self {
        Self { store, indexer }
    }

    /// Continues an embedding migration for a limited time. An error means that the store could not be reached and that
    /// the job has to run again.
    pub(crate) async fn reembed(&self, job: ReembedJob) -> Result<(), StoreError> {
        let store = self.store.project(job.project());
        let Some(change) = store.spaces().migration().await? else { return Ok(()) };
        let done = match change.state() {
            State::Filling => self.reembed_batch(&store, change.clone(), Instant::now() + SLICE).await,
            State::Ready | State::Switched | State::RolledBack => {
                self.fill_both(job.project(), &change).await
            }
            State::Abandoned | State::Finished => return clear(&store, &change).await,
        };
        match done {
            Ok(true) if change.last_error.is_some() => store.spaces().set_error(&change, None).await,
            Ok(true) => Ok(()),
            Ok(false) => match store.spaces().migration().await? {
                Some(now) if now.state().is_live() => {
                    store.spaces().postpone(&change, None, Duration::ZERO).await
                }
                // The caller that ended the migration has queued the remaining work.
                _ => Ok(()),
            },
            Err(EmbedFailure::Store(error)) => Err(error),
            Err(failure) => {
                let (reason, delay) = (failure.to_string(), pause(&failure));
                tracing::warn!(reason, "embedding memories in space {} waits: {reason}", change.to_space);
                store.spaces().postpone(&change, Some(&reason), delay).await
            }
        }
    }

    /// Embeds batches until the time is over. Returns whether all memories are embedded.
    async fn reembed_batch(
        &self,
        store: &ProjectCtx,
        mut change: EmbeddingMigration,
        until: Instant,
    ) -> Result<bool, EmbedFailure> {
        while Instant::now() < until {
            let unindexed = store.memories().unindexed(change.to_space, change.cursor).await?;
            let Some(last) = unindexed.last().map(|last| last.memory_id) else {
                let complete = store.spaces().finish_pass(&change).await?;
                if complete {
                    tracing::info!(space = change.to_space, "every memory is in space {}", change.to_space);
                }
                return Ok(complete);
            };
            let (memories, vectors) = self.indexer.embed_unindexed(change.to_space, unindexed).await?;
            if !store.spaces().advance(&change, &memories, &vectors).await? {
                // The migration was ended, or another worker continues it.
                return Ok(false);
            }
            metrics::counter!("reflect_reembedded_total").increment(memories.len() as u64);
            change.cursor = last;
        }
        Ok(false)
    }

    /// Adds vectors that are missing in either space.
    async fn fill_both(&self, project: ProjectId, change: &EmbeddingMigration) -> Result<bool, EmbedFailure> {
        for space in [change.from_space, change.to_space] {
            match self.indexer.fill_space(project, space).await {
                // No retry: a new configuration starts the job again.
                Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
                filled => {
                    filled?;
                }
            }
        }
        Ok(true)
    }
}

/// Removes the vectors of the space that is no longer used.
async fn clear(store: &ProjectCtx, change: &EmbeddingMigration) -> Result<(), StoreError> {
    let left = match change.state() {
        State::Finished => change.from_space,
        _ => change.to_space,
    };
    let removed = store.spaces().clear(left).await?;
    tracing::info!(space = left, removed, "{removed} vectors of space {left} were removed");
    Ok(())
}

/// The pause after a failure.
const fn pause(failure: &EmbedFailure) -> Duration {
    match failure {
        EmbedFailure::Model(error) => match error.remedy {
            Remedy::RetryLater { after: Some(after) } => after,
            Remedy::RetryLater { after: None } => PAUSE,
            Remedy::DoNotRetry | Remedy::Unreadable => LONG_PAUSE,
        },
        _ => LONG_PAUSE,
    }
}
