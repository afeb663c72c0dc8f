//! Placing memories that were made while their embedder was not there. Without a vector they would never be
//! found.

use std::time::Duration;

use reflect_model::{EmbedPurpose, Remedy};
use reflect_store::{SpaceId, StoreError, Unplaced};
use reflect_types::{MemoryId, ProjectId};
use uuid::Uuid;

use crate::Engine;
use crate::models::EmbedFailure;

/// Before an embedder that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(10);
/// The longest that a provider may ask us to stay away; by then the hourly round has come.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

impl Engine {
    /// Gives every memory the vectors that it lacks, project by project. Says how many.
    pub(crate) async fn place_memories(&self) -> Result<u64, EmbedFailure> {
        if self.models.embeddings.is_empty() {
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
        if self.models.embeddings.is_empty() {
            return Ok(());
        }
        match self.place_memories_of(project).await {
            Ok(_)
            | Err(
                EmbedFailure::NoEmbedder
                | EmbedFailure::OtherModel
                | EmbedFailure::Store(StoreError::NotFound { .. }),
            ) => Ok(()),
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
        let mut spaces = self.store.project_facts(project).await?.write_spaces;
        let nil = MemoryId::from_uuid(Uuid::nil());
        // Before the first vector no space is known, and no memory is in it.
        if spaces.is_empty() && !self.store.project(project).unplaced(-1, nil).await?.is_empty() {
            spaces.extend(self.first_space(project).await?);
        }
        let mut placed = 0;
        for space in spaces {
            match self.fill(project, space).await {
                // Embedded by another model: changing over is a decision of its own.
                Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
                // The other projects may have a better embedder.
                Err(EmbedFailure::Model(error)) => {
                    tracing::warn!(space, %error, "memories without a vector could not be embedded: {error}");
                }
                filled => placed += filled?,
            }
        }
        Ok(placed)
    }

    /// Gives every memory that has no vector in a space one.
    pub(crate) async fn fill(&self, project: ProjectId, space: SpaceId) -> Result<u64, EmbedFailure> {
        let store = self.store.project(project);
        let (mut after, mut placed) = (MemoryId::from_uuid(Uuid::nil()), 0);
        loop {
            let unplaced = store.unplaced(space, after).await?;
            let Some(last) = unplaced.last() else { return Ok(placed) };
            after = last.memory_id;
            let (memories, vectors) = self.embed_unplaced(space, unplaced).await?;
            placed += store.place(space, &memories, &vectors).await?;
        }
    }

    /// The texts of memories that are embedded in a space, and their vectors.
    pub(crate) async fn embed_unplaced(
        &self,
        space: SpaceId,
        unplaced: Vec<Unplaced>,
    ) -> Result<(Vec<(MemoryId, String)>, Vec<Vec<f32>>), EmbedFailure> {
        let space = self.models.space(&self.store, space).await?;
        let text = |one: &Unplaced| space.name.embeds.of(&one.task, &one.reflection).to_owned();
        let texts: Vec<String> = unplaced.iter().map(text).collect();
        let vectors = self.models.vectors(&self.store, &space, &texts, EmbedPurpose::Document).await?;
        let memories = unplaced.iter().map(|one| one.memory_id).zip(texts).collect();
        Ok((memories, vectors.iter().map(|vector| vector.as_slice().to_vec()).collect()))
    }
}
