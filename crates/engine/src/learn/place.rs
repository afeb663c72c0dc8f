//! Placing memories that were made before there was an embedder. Without a vector they would never be found
//! again from the moment that the first vector is there.

use std::time::Duration;

use reflect_model::Remedy;
use reflect_store::StoreError;
use reflect_types::{MemoryId, ProjectId};
use uuid::Uuid;

use crate::Engine;
use crate::models::EmbedFailure;

/// Before an embedder that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(10);
/// The longest that a provider may ask us to stay away; by then the hourly round has come.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

impl Engine {
    /// Gives every memory without a vector one, project by project. Says how many.
    pub(crate) async fn place_memories(&self) -> Result<u64, EmbedFailure> {
        if !self.models.embeddings.is_there() {
            return Ok(0);
        }
        let mut placed = 0;
        for (project, _) in self.store.projects().await? {
            placed += self.place_memories_of(project).await?;
        }
        Ok(placed)
    }

    /// Gives the memories of one project their vectors, because one of them has to be found soon. An embedder
    /// that does not answer is asked again in a while.
    pub(crate) async fn place_soon(&self, project: ProjectId) -> Result<(), StoreError> {
        if !self.models.embeddings.is_there() {
            return Ok(());
        }
        match self.place_memories_of(project).await {
            Ok(_) | Err(EmbedFailure::NoEmbedder | EmbedFailure::Store(StoreError::NotFound { .. })) => {
                Ok(())
            }
            Err(EmbedFailure::Store(error)) => Err(error),
            Err(EmbedFailure::Model(error)) => {
                tracing::warn!(%error, "memories wait for their vectors: {error}");
                match error.remedy {
                    Remedy::RetryLater { after } => {
                        let delay = after.unwrap_or(AGAIN).clamp(AGAIN, LONGEST_PAUSE);
                        self.store.project(project).place_later(delay).await
                    }
                    // The hourly round tries again, and says so again.
                    Remedy::DoNotRetry | Remedy::Unreadable => Ok(()),
                }
            }
        }
    }

    async fn place_memories_of(&self, project: ProjectId) -> Result<u64, EmbedFailure> {
        let store = self.store.project(project);
        let read_space = self.store.project_facts(project).await?.read_space;
        let (mut after, mut placed) = (MemoryId::from_uuid(Uuid::nil()), 0);
        loop {
            // Before the first vector no space is known, and no memory is in it.
            let unplaced = store.unplaced(read_space.unwrap_or(-1), after).await?;
            let Some((last, _)) = unplaced.last() else { return Ok(placed) };
            after = *last;
            let texts: Vec<String> = unplaced.iter().map(|(_, task)| task.clone()).collect();
            let (space, vectors) = self.models.embeddings.documents(&self.store, &texts).await?;
            if read_space.is_some_and(|read| read != space.id) {
                // Embedded by another model: changing over is a decision of its own.
                return Ok(placed);
            }
            self.adopt(project, space.id).await?;
            for ((memory, task), vector) in unplaced.iter().zip(&vectors) {
                store.place(*memory, space.id, task, vector.as_slice()).await?;
                placed += 1;
            }
        }
    }
}
