//! Placing a memory among others: the vector of its task, in the space that the embedder makes.

use reflect_store::{LearnInput, NewMemory, SpaceId, StoreError};
use reflect_types::ProjectId;
use serde_json::Value;

use super::reflect::authored_lesson;
use super::{Obstacle, describe, memory};
use crate::Engine;
use crate::models::EmbedFailure;

impl Engine {
    /// The memory of a lesson that came with its verdict. None when it cannot be placed right now.
    pub(crate) async fn authored_memory(
        &self,
        project: ProjectId,
        input: &LearnInput,
        authored: Value,
    ) -> Option<NewMemory> {
        let (vectors, expected) = match self.vectors_and_expected(project, input).await {
            Ok(found) => found,
            Err(obstacle) => {
                let reason = describe(&obstacle);
                tracing::warn!(trace.id = %input.trace_id, reason, "an authored lesson is queued: {reason}");
                return None;
            }
        };
        Some(memory(input, authored_lesson(authored, &input.trajectory), vectors, expected))
    }

    /// The vectors of a task. None without an embedder: the memory is then found by its words.
    pub(crate) async fn vectors(
        &self,
        project: ProjectId,
        task: &str,
    ) -> Result<Vec<(SpaceId, Vec<f32>)>, Obstacle> {
        let embeddings = &self.models.embeddings;
        if !embeddings.is_there() {
            return Ok(Vec::new());
        }
        let (space, vector) =
            embeddings.document(&self.store, task).await.map_err(|failure| match failure {
                EmbedFailure::Model(error) => Obstacle::Vector(error),
                EmbedFailure::Store(error) => Obstacle::Store(error),
                EmbedFailure::NoEmbedder => Obstacle::Vector(reflect_model::ModelError::do_not_retry(
                    EmbedFailure::NoEmbedder.to_string(),
                )),
            })?;
        self.adopt(project, space.id).await?;
        Ok(vec![(space.id, vector.as_slice().to_vec())])
    }

    /// Before the first memory of a project is placed in a space, the project is told that it lives there.
    pub(super) async fn adopt(&self, project: ProjectId, space: SpaceId) -> Result<(), StoreError> {
        if self.facts(project).await?.write_spaces.contains(&space) {
            return Ok(());
        }
        self.store.project(project).adopt_space(space).await?;
        self.known.facts.invalidate(&project).await;
        Ok(())
    }
}
