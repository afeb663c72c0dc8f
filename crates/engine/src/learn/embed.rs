//! Placing a new memory among others: its vector in every space that its project writes.

use std::time::Duration;

use reflect_model::{EmbedPurpose, ModelError};
use reflect_store::{LearnInput, NewMemory, SpaceId};
use reflect_types::{EmbeddedText, ProjectId};
use serde_json::Value;

use super::reflect::authored_lesson;
use super::{Obstacle, describe, memory};
use crate::Engine;
use crate::models::EmbedFailure;

/// A space that no question goes to may not keep a memory waiting for longer than this.
const PATIENCE: Duration = Duration::from_secs(5);

impl From<EmbedFailure> for Obstacle {
    fn from(failure: EmbedFailure) -> Self {
        match failure {
            EmbedFailure::Model(error) => Self::Vector(error),
            EmbedFailure::Store(error) => Self::Store(error),
            EmbedFailure::NoEmbedder | EmbedFailure::OtherModel => {
                Self::Vector(ModelError::do_not_retry(failure.to_string()))
            }
        }
    }
}

impl Engine {
    /// The memory of a lesson that came with its verdict. None when it cannot be placed right now.
    pub(crate) async fn authored_memory(
        &self,
        project: ProjectId,
        input: &LearnInput,
        authored: Value,
    ) -> Option<NewMemory> {
        let mut memory = memory(input, authored_lesson(authored, &input.trajectory));
        if let Err(obstacle) = self.complete_memory(project, input, &mut memory).await {
            let reason = describe(&obstacle);
            tracing::warn!(trace.id = %input.trace_id, reason, "an authored lesson is queued: {reason}");
            return None;
        }
        Some(memory)
    }

    /// Gives a memory its vectors, and what was to be expected of its run.
    pub(super) async fn complete_memory(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &mut NewMemory,
    ) -> Result<(), Obstacle> {
        memory.vectors = self.vectors(project, &memory.task, &memory.reflection).await?;
        memory.expected = self.expected(project, input, &memory.vectors).await?;
        Ok(())
    }

    /// The vectors of a memory in the spaces that its project writes, as far as their embedders are there.
    /// None without an embedder: the memory is then found by its words. Only the space that is read is waited
    /// for; what is missing in another one is filled in by the change that it belongs to.
    pub(crate) async fn vectors(
        &self,
        project: ProjectId,
        task: &str,
        reflection: &str,
    ) -> Result<Vec<(SpaceId, Vec<f32>)>, Obstacle> {
        let facts = self.facts(project).await?;
        let read = match facts.read_space {
            Some(read) => read,
            None => match self.first_space(project).await? {
                Some(space) => space,
                None => return Ok(Vec::new()),
            },
        };
        let mut vectors = Vec::new();
        match self.vector_in(read, task, reflection).await {
            Ok(vector) => vectors.push((read, vector)),
            Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
            Err(failure) => return Err(failure.into()),
        }
        for &space in facts.write_spaces.iter().filter(|space| **space != read) {
            match tokio::time::timeout(PATIENCE, self.vector_in(space, task, reflection)).await {
                Ok(Ok(vector)) => vectors.push((space, vector)),
                Ok(Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel)) => {}
                Ok(Err(EmbedFailure::Store(error))) => return Err(error.into()),
                Ok(Err(EmbedFailure::Model(error))) => {
                    tracing::warn!(space, %error, "a memory has no vector in space {space} yet: {error}");
                }
                Err(_) => {
                    self.models.gave_up_on(space);
                    tracing::warn!(space, "a memory has no vector in space {space} yet: it took too long");
                }
            }
        }
        Ok(vectors)
    }

    async fn vector_in(
        &self,
        space: SpaceId,
        task: &str,
        reflection: &str,
    ) -> Result<Vec<f32>, EmbedFailure> {
        let space = self.models.space(&self.store, space).await?;
        let text = space.name.embeds.of(task, reflection).to_owned();
        let vectors = self.models.vectors(&self.store, &space, &[text], EmbedPurpose::Document).await?;
        let vector = vectors.first().ok_or_else(|| ModelError::unreadable("the embedder gave no vector"))?;
        Ok(vector.as_slice().to_vec())
    }

    /// A project that has no space gets that of the embedder, before its first memory is placed in it. Says
    /// which space it is, none without an embedder.
    pub(super) async fn first_space(&self, project: ProjectId) -> Result<Option<SpaceId>, EmbedFailure> {
        let Some(embeddings) = self.models.embeddings.first() else { return Ok(None) };
        let space = embeddings.own_space(&self.store).await?.id;
        self.store.project(project).adopt_space(space).await?;
        self.known.facts.invalidate(&project).await;
        // Another process may have been faster, with another embedder.
        Ok(self.facts(project).await?.read_space)
    }
}

impl Engine {
    /// The vector of a task in the space that its project reads, as questions have it.
    pub(super) async fn task_vector(
        &self,
        project: ProjectId,
        task: &str,
        vectors: &[(SpaceId, Vec<f32>)],
    ) -> Result<Option<(SpaceId, Vec<f32>)>, Obstacle> {
        let Some(read) = self.facts(project).await?.read_space else { return Ok(None) };
        let space = self.models.space(&self.store, read).await?;
        let own = vectors.iter().find(|(space, _)| *space == read);
        match (space.name.embeds, own) {
            (_, None) => Ok(None),
            (EmbeddedText::Task, Some(own)) => Ok(Some(own.clone())),
            // The memory's own vector is that of its lesson.
            (EmbeddedText::Reflection, Some(_)) => {
                let text = [task.to_owned()];
                let vectors = self.models.vectors(&self.store, &space, &text, EmbedPurpose::Query).await?;
                Ok(vectors.first().map(|vector| (read, vector.as_slice().to_vec())))
            }
        }
    }
}
