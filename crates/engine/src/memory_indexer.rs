//! Vectors of memories, in every space that their project writes.

use std::time::Duration;

use reflect_model::{EmbedPurpose, ModelError, Remedy};
use reflect_store::{SpaceId, Store, StoreError, UnindexedMemory};
use reflect_types::{EmbeddedText, MemoryId, ProjectId};
use uuid::Uuid;

use crate::models::{EmbedFailure, Embeddings};
use crate::project_cache::ProjectCache;

/// The longest time that a memory waits for its vector in a space that no query reads.
const UNREAD_SPACE_TIMEOUT: Duration = Duration::from_secs(5);
/// The shortest pause before an embedder that did not answer is called again.
const SHORTEST_RETRY: Duration = Duration::from_secs(10);
/// The longest pause: the hourly maintenance comes by then.
const LONGEST_RETRY: Duration = Duration::from_secs(60 * 60);

/// Vectors, each with its space.
pub(crate) type SpaceVectors = Vec<(SpaceId, Vec<f32>)>;

/// Computes the vectors of new memories, and adds the missing ones.
#[derive(Debug, Clone)]
pub(crate) struct MemoryIndexer {
    store: Store,
    projects: ProjectCache,
    embeddings: Embeddings,
}

impl MemoryIndexer {
    pub(crate) const fn new(store: Store, projects: ProjectCache, embeddings: Embeddings) -> Self {
        Self { store, projects, embeddings }
    }

    /// The vectors of a memory in the spaces that its project writes and this process has an embedder for. Without an
    /// embedder there are none, and the memory is found by its words. Only the vector in the space that queries read is
    /// required; the embedding migration adds missing vectors in other spaces.
    pub(crate) async fn vectors(
        &self,
        project: ProjectId,
        task: &str,
        reflection: &str,
    ) -> Result<SpaceVectors, EmbedFailure> {
        let facts = self.projects.facts(project).await?;
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
            Err(failure) => return Err(failure),
        }
        for &space in facts.write_spaces.iter().filter(|space| **space != read) {
            match tokio::time::timeout(UNREAD_SPACE_TIMEOUT, self.vector_in(space, task, reflection)).await {
                Ok(Ok(vector)) => vectors.push((space, vector)),
                Ok(Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel)) => {}
                Ok(Err(EmbedFailure::Store(error))) => return Err(error.into()),
                Ok(Err(EmbedFailure::Model(error))) => {
                    tracing::warn!(space, %error, "a memory has no vector in space {space} yet: {error}");
                }
                Err(_) => {
                    self.embeddings.record_timeout(space);
                    tracing::warn!(
                        space,
                        "a memory has no vector in space {space} yet: the embedder timed out"
                    );
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
        let space = self.embeddings.space(space).await?;
        let text = space.name.embeds.of(task, reflection).to_owned();
        let vectors = self.embeddings.vectors(&space, &[text], EmbedPurpose::Document).await?;
        let vector = vectors.first().ok_or_else(|| ModelError::unreadable("the embedder gave no vector"))?;
        Ok(vector.as_slice().to_vec())
    }

    /// Gives a project without a space the space of the embedder, before its first memory is indexed. Returns the space;
    /// `None` without an embedder.
    async fn first_space(&self, project: ProjectId) -> Result<Option<SpaceId>, EmbedFailure> {
        let Some(embedder) = self.embeddings.first() else { return Ok(None) };
        let space = embedder.own_space().await?.id;
        self.store.project(project).spaces().adopt(space).await?;
        self.projects.invalidate(project).await;
        // Another process may have been faster, with another embedder.
        Ok(self.projects.facts(project).await?.read_space)
    }

    /// The vector of a task in the space that its project reads. `vectors` are those of the task's memory.
    pub(crate) async fn task_vector(
        &self,
        project: ProjectId,
        task: &str,
        vectors: &[(SpaceId, Vec<f32>)],
    ) -> Result<Option<(SpaceId, Vec<f32>)>, EmbedFailure> {
        let Some(read) = self.projects.facts(project).await?.read_space else { return Ok(None) };
        let space = self.embeddings.space(read).await?;
        let own = vectors.iter().find(|(space, _)| *space == read);
        match (space.name.embeds, own) {
            (_, None) => Ok(None),
            (EmbeddedText::Task, Some(own)) => Ok(Some(own.clone())),
            // The memory's own vector is that of its lesson.
            (EmbeddedText::Reflection, Some(_)) => {
                let text = [task.to_owned()];
                let vectors = self.embeddings.vectors(&space, &text, EmbedPurpose::Query).await?;
                Ok(vectors.first().map(|vector| (read, vector.as_slice().to_vec())))
            }
        }
    }

    /// The vectors of texts in the space that the project reads. `None` if it has no space yet.
    pub(crate) async fn texts(
        &self,
        project: ProjectId,
        texts: &[String],
    ) -> Result<Option<(SpaceId, Vec<Vec<f32>>)>, EmbedFailure> {
        let Some(read) = self.projects.facts(project).await?.read_space else { return Ok(None) };
        let space = self.embeddings.space(read).await?;
        let vectors = self.embeddings.vectors(&space, texts, EmbedPurpose::Query).await?;
        Ok(Some((read, vectors.iter().map(|vector| vector.as_slice().to_vec()).collect())))
    }

    /// Adds the missing vectors of a project, because one of its memories has to be found soon. If the embedder does not
    /// answer, the job is queued again.
    pub(crate) async fn index_soon(&self, project: ProjectId) -> Result<(), StoreError> {
        match self.index_project(project).await {
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
                        let delay = after.unwrap_or(SHORTEST_RETRY).clamp(SHORTEST_RETRY, LONGEST_RETRY);
                        self.store.project(project).memories().index_later(delay).await
                    }
                    // The hourly maintenance tries again and logs the error again.
                    Remedy::DoNotRetry | Remedy::Unreadable => Ok(()),
                }
            }
        }
    }

    /// Adds the missing vectors of a project. Returns how many were added.
    pub(crate) async fn index_project(&self, project: ProjectId) -> Result<u64, EmbedFailure> {
        if self.embeddings.is_empty() {
            return Ok(0);
        }
        let mut spaces = self.store.catalogue().project_facts(project).await?.write_spaces;
        let nil = MemoryId::from_uuid(Uuid::nil());
        // A project without a space has no vector at all; space -1 matches none.
        if spaces.is_empty() && !self.store.project(project).memories().unindexed(-1, nil).await?.is_empty() {
            spaces.extend(self.first_space(project).await?);
        }
        let mut indexed = 0;
        for space in spaces {
            match self.fill_space(project, space).await {
                // Another model made this space. Only an embedding migration changes the model.
                Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
                // The embedder of another space may work.
                Err(EmbedFailure::Model(error)) => {
                    tracing::warn!(space, %error, "memories without a vector could not be embedded: {error}");
                }
                filled => indexed += filled?,
            }
        }
        Ok(indexed)
    }

    /// Adds all missing vectors of a project in one space. Returns how many were added.
    pub(crate) async fn fill_space(&self, project: ProjectId, space: SpaceId) -> Result<u64, EmbedFailure> {
        let store = self.store.project(project);
        let (mut after, mut indexed) = (MemoryId::from_uuid(Uuid::nil()), 0);
        loop {
            let unindexed = store.memories().unindexed(space, after).await?;
            let Some(last) = unindexed.last() else { return Ok(indexed) };
            after = last.memory_id;
            let (memories, vectors) = self.embed_unindexed(space, unindexed).await?;
            indexed += store.memories().index(space, &memories, &vectors).await?;
        }
    }

    /// The embedded texts of memories in a space, and their vectors.
    pub(crate) async fn embed_unindexed(
        &self,
        space: SpaceId,
        unindexed: Vec<UnindexedMemory>,
    ) -> Result<(Vec<(MemoryId, String)>, Vec<Vec<f32>>), EmbedFailure> {
        let space = self.embeddings.space(space).await?;
        let text = |one: &UnindexedMemory| space.name.embeds.of(&one.task, &one.reflection).to_owned();
        let texts: Vec<String> = unindexed.iter().map(text).collect();
        let vectors = self.embeddings.vectors(&space, &texts, EmbedPurpose::Document).await?;
        let memories = unindexed.iter().map(|one| one.memory_id).zip(texts).collect();
        Ok((memories, vectors.iter().map(|vector| vector.as_slice().to_vec()).collect()))
    }
}
