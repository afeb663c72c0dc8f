//! The walk: every memory gets its vector in the new space, some at a time, in the order of their ids. How far
//! it has come is stored together with the vectors, so it may be stopped anywhere.

use std::time::{Duration, Instant};

use reflect_model::Remedy;
use reflect_store::{ProjectCtx, ReembedJob, SpaceChange, StoreError};
use reflect_types::{ProjectId, SpaceChangeState as State};

use crate::Engine;
use crate::models::EmbedFailure;

/// Longer and other projects that are changed over would wait for this one.
const SLICE: Duration = Duration::from_secs(5);
/// When a provider does not say how long to leave it alone.
const PAUSE: Duration = Duration::from_secs(5);
/// For what does not pass by itself. Somebody has to change the configuration, or another process has it.
const LONG_PAUSE: Duration = Duration::from_secs(30);

impl Engine {
    /// Goes on with a change of space, for a while. An error means that the store could not be reached, and
    /// that the job has to come again.
    pub(crate) async fn reembed(&self, job: ReembedJob) -> Result<(), StoreError> {
        let store = self.store.project(job.project());
        let Some(change) = store.space_change().await? else { return Ok(()) };
        let done = match change.state() {
            State::Filling => self.walk(&store, change.clone(), Instant::now() + SLICE).await,
            State::Ready | State::Switched | State::RolledBack => {
                self.fill_both(job.project(), &change).await
            }
            State::Abandoned | State::Finished => return clear(&store, &change).await,
        };
        match done {
            Ok(true) if change.last_error.is_some() => store.note_space_change(&change, None).await,
            Ok(true) => Ok(()),
            Ok(false) => match store.space_change().await? {
                Some(now) if now.state().is_live() => {
                    store.postpone_space_change(&change, None, Duration::ZERO).await
                }
                // Whoever ended it has queued what is left to do, and when.
                _ => Ok(()),
            },
            Err(EmbedFailure::Store(error)) => Err(error),
            Err(failure) => {
                let (reason, delay) = (failure.to_string(), pause(&failure));
                tracing::warn!(reason, "embedding memories in space {} waits: {reason}", change.to_space);
                store.postpone_space_change(&change, Some(&reason), delay).await
            }
        }
    }

    /// Says whether the walk is at its end.
    async fn walk(
        &self,
        store: &ProjectCtx,
        mut change: SpaceChange,
        until: Instant,
    ) -> Result<bool, EmbedFailure> {
        while Instant::now() < until {
            let unplaced = store.unplaced(change.to_space, change.cursor).await?;
            let Some(last) = unplaced.last().map(|last| last.memory_id) else {
                let complete = store.end_walk(&change).await?;
                if complete {
                    tracing::info!(space = change.to_space, "every memory is in space {}", change.to_space);
                }
                return Ok(complete);
            };
            let (memories, vectors) = self.embed_unplaced(change.to_space, unplaced).await?;
            if !store.advance_space_change(&change, &memories, &vectors).await? {
                // Given up, or taken over by another worker.
                return Ok(false);
            }
            metrics::counter!("reflect_reembedded_total").increment(memories.len() as u64);
            change.cursor = last;
        }
        Ok(false)
    }

    /// Memories that a failing embedder left out, on either side.
    async fn fill_both(&self, project: ProjectId, change: &SpaceChange) -> Result<bool, EmbedFailure> {
        for space in [change.from_space, change.to_space] {
            match self.fill(project, space).await {
                // Nothing to come back for: whoever configures it starts anew.
                Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
                filled => {
                    filled?;
                }
            }
        }
        Ok(true)
    }
}

/// Removes the vectors of the space that was left.
async fn clear(store: &ProjectCtx, change: &SpaceChange) -> Result<(), StoreError> {
    let left = match change.state() {
        State::Finished => change.from_space,
        _ => change.to_space,
    };
    let removed = store.clear_space(left).await?;
    tracing::info!(space = left, removed, "{removed} vectors of space {left} were removed");
    Ok(())
}

/// How long to wait after a failure.
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
