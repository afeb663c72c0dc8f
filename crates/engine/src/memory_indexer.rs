//! Vectors of memories, in every space that their project writes.

use std::time::Duration;

use reflect_model::{EmbedPurpose, Remedy};
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

    /// The vectors of a memory with this task and this lesson, see [`Self::vectors_of`].
    pub(crate) async fn vectors(
        &self,
        project: ProjectId,
        task: &str,
        reflection: &str,
    ) -> Result<SpaceVectors, EmbedFailure> {
        Ok(self.vectors_of(project, &[(task, reflection)]).await?.into_iter().next().unwrap_or_default())
    }

    /// The vectors of memories, given by task and lesson, in the spaces that their project writes and this process has an
    /// embedder for. Without an embedder there are none, and the memories are found by their words. Only vectors in the
    /// space that queries read are required; the embedding migration adds missing vectors in other spaces. The memories are
    /// embedded together.
    pub(crate) async fn vectors_of(
        &self,
        project: ProjectId,
        memories: &[(&str, &str)],
    ) -> Result<Vec<SpaceVectors>, EmbedFailure> {
        let mut vectors = vec![SpaceVectors::new(); memories.len()];
        let facts = self.projects.facts(project).await?;
        let read = match facts.read_space {
            Some(read) => read,
            None => match self.first_space(project).await? {
                Some(space) => space,
                None => return Ok(vectors),
            },
        };
        match self.vectors_in(read, memories).await {
            Ok(found) => add(&mut vectors, read, found),
            Err(EmbedFailure::NoEmbedder | EmbedFailure::OtherModel) => {}
            Err(failure) => return Err(failure),
        }
        for &space in facts.write_spaces.iter().filter(|space| **space != read) {
            match tokio::time::timeout(UNREAD_SPACE_TIMEOUT, self.vectors_in(space, memories)).await {
                Ok(Ok(found)) => add(&mut vectors, space, found),
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

    /// One vector per memory, in order.
    async fn vectors_in(
        &self,
        space: SpaceId,
        memories: &[(&str, &str)],
    ) -> Result<Vec<Vec<f32>>, EmbedFailure> {
        let space = self.embeddings.space(space).await?;
        let text = |(task, reflection): &(&str, &str)| space.name.embeds.of(task, reflection).to_owned();
        let texts: Vec<String> = memories.iter().map(text).collect();
        let vectors = self.embeddings.vectors(&space, &texts, EmbedPurpose::Document).await?;
        Ok(vectors.iter().map(|vector| vector.as_slice().to_vec()).collect())
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

    /// The vectors of the tasks of memories in the space that their project reads, in order. `vectors` are those of the
    /// memories, which were embedded together: all of them have one in that space, or none has.
    pub(crate) async fn task_vectors(
        &self,
        project: ProjectId,
        memories: &[(&str, &str)],
        vectors: &[SpaceVectors],
    ) -> Result<Vec<Option<(SpaceId, Vec<f32>)>>, EmbedFailure> {
        let Some(read) = self.projects.facts(project).await?.read_space else {
            return Ok(vec![None; memories.len()]);
        };
        let space = self.embeddings.space(read).await?;
        let own = vectors.iter().map(|one| one.iter().find(|(space, _)| *space == read).cloned());
        let own: Vec<Option<(SpaceId, Vec<f32>)>> = own.collect();
        if space.name.embeds == EmbeddedText::Task || own.iter().all(Option::is_none) {
            return Ok(own);
        }
        // The memories' own vectors are those of their lessons.
        let tasks: Vec<String> = memories.iter().map(|(task, _)| (*task).to_owned()).collect();
        let vectors = self.embeddings.vectors(&space, &tasks, EmbedPurpose::Query).await?;
        Ok(vectors.iter().map(|vector| Some((read, vector.as_slice().to_vec()))).collect())
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

/// Adds the vectors in one space, one per memory.
fn add(vectors: &mut [SpaceVectors], space: SpaceId, found: Vec<Vec<f32>>) {
    for (vectors, vector) in vectors.iter_mut().zip(found) {
        vectors.push((space, vector));
    }
}
