//! Placing memories that were made before there was an embedder. Without a vector they would never be found
//! again from the moment that the first vector is there.

use reflect_types::{MemoryId, ProjectId};
use uuid::Uuid;

use crate::Engine;
use crate::models::EmbedFailure;

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
            for ((memory, _), vector) in unplaced.iter().zip(&vectors) {
                store.place(*memory, space.id, vector.as_slice()).await?;
                placed += 1;
            }
        }
    }
}
