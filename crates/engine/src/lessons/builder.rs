//! From a lesson to a memory that can be stored: its vectors, and how likely its run was to pass.

use reflect_store::{LearnInput, NewMemoryRow, SearchBy, Store};
use reflect_types::ProjectId;
use serde_json::Value;

use super::draft::{authored_lesson, memory};
use crate::credit::{NEIGHBOURS, Neighbour, RECENT_REVIEWS, ReviewTally, expected_success};
use crate::memory_indexer::{MemoryIndexer, SpaceVectors};
use crate::models::EmbedFailure;

/// Completes new memories.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBuilder {
    store: Store,
    indexer: MemoryIndexer,
}

impl MemoryBuilder {
    pub(crate) const fn new(store: Store, indexer: MemoryIndexer) -> Self {
        Self { store, indexer }
    }

    /// The memory of a lesson that came with its review. `None` if it cannot be embedded now: the lesson then waits in
    /// the queue.
    pub(crate) async fn authored_memory(
        &self,
        project: ProjectId,
        input: &LearnInput,
        authored: Value,
    ) -> Option<NewMemoryRow> {
        let mut memory = memory(input, authored_lesson(authored, &input.trajectory));
        if let Err(error) = self.complete(project, input, &mut memory).await {
            tracing::warn!(trace.id = %input.trace_id, %error, "an authored lesson is queued because it could not be embedded: {error}");
            return None;
        }
        Some(memory)
    }

    /// Adds the vectors of a memory and the expected success of its run.
    pub(crate) async fn complete(
        &self,
        project: ProjectId,
        input: &LearnInput,
        memory: &mut NewMemoryRow,
    ) -> Result<(), EmbedFailure> {
        memory.vectors = self.indexer.vectors(project, &memory.task, &memory.reflection).await?;
        memory.expected = self.expected(project, input, &memory.vectors).await?;
        Ok(())
    }

    /// How likely the run was to pass, whatever memories it had. `None` if it had none, since credit is not computed
    /// then.
    async fn expected(
        &self,
        project: ProjectId,
        input: &LearnInput,
        vectors: &SpaceVectors,
    ) -> Result<Option<f32>, EmbedFailure> {
        if input.linked.is_empty() {
            return Ok(None);
        }
        let task = self.indexer.task_vector(project, &input.task, vectors).await?;
        let mut search = self.store.project(project).memories().search(SearchBy::Vector).await?;
        // The run's own review must not count as evidence for its expected success.
        let (reviews, passes) = search.recent_reviews(RECENT_REVIEWS, input.review_id).await?;
        let mut neighbours = Vec::new();
        if let Some((space, vector)) = task {
            let found = search.neighbours(space, &vector, NEIGHBOURS).await?;
            neighbours =
                found.into_iter().map(|(similarity, passed)| Neighbour { similarity, passed }).collect();
        }
        search.close().await?;
        Ok(Some(expected_success(ReviewTally { reviews, passes }, &neighbours)))
    }
}
