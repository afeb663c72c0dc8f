//! Lists and details of memories with their value, for people.

use reflect_store::{
    FullMemoryRow, MemoryDetailRow, MemoryOrder, MemorySelector, NearMemory, Store, StoreError,
};
use reflect_types::{MemoryId, MemorySort, Ranking, memory_value};

use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache::{self, ProjectCache};

/// A memory with its value under the ranking of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Valued<T> {
    /// The memory.
    pub memory: T,
    /// Its value: what ranking uses as its utility.
    pub utility: f32,
}

/// Which memories a page of a list shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryPage {
    /// Which memories.
    pub selection: MemorySelector,
    /// The order.
    pub sort: MemorySort,
    /// Whether every memory is listed. Otherwise memories with the same lesson and status appear once.
    pub include_same_lesson: bool,
    /// The memory before the first of the page.
    pub after: Option<MemoryId>,
    /// The size of the page.
    pub limit: u32,
}

/// Reads memories for people.
#[derive(Debug, Clone)]
pub struct Memories {
    store: Store,
    projects: ProjectCache,
}

impl Memories {
    pub(crate) const fn new(store: Store, projects: ProjectCache) -> Self {
        Self { store, projects }
    }

    /// A page of a list, and the cursor to go on from.
    pub async fn list(
        &self,
        visitor: &Visitor,
        page: &MemoryPage,
    ) -> Result<(Vec<Valued<FullMemoryRow>>, Option<MemoryId>), EngineError> {
        let MemoryPage { selection, sort, include_same_lesson, after, limit } = page;
        let ranking = self.projects.ranking(visitor.project).await?;
        let order = MemoryOrder { sort: *sort, ranking };
        // A list of the memories with one lesson means all of them.
        let of_a_lesson = selection.same_lesson_as.is_some() || selection.lesson.is_some();
        let once = !include_same_lesson && !of_a_lesson;
        let project = self.store.project(visitor.project);
        let (rows, next) = project.memories().list(selection, order, once, *after, *limit).await?;
        Ok((rows.into_iter().map(|row| valued(row, ranking)).collect(), next))
    }

    /// One memory.
    pub async fn get(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
    ) -> Result<Valued<FullMemoryRow>, EngineError> {
        let ranking = self.projects.ranking(visitor.project).await?;
        Ok(valued(self.store.project(visitor.project).memories().get(memory).await?, ranking))
    }

    /// One memory, its source, and its earlier texts.
    pub async fn detail(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
    ) -> Result<Valued<MemoryDetailRow>, EngineError> {
        let ranking = self.projects.ranking(visitor.project).await?;
        let detail = self.store.project(visitor.project).memories().detail(memory).await?;
        let row = &detail.memory;
        let utility = memory_value(ranking, row.q, row.credit, row.untrusted);
        Ok(Valued { memory: detail, utility })
    }

    /// The memories with the most similar tasks; none if the memory has no vector.
    pub async fn list_neighbours(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        most: u32,
    ) -> Result<Vec<Valued<NearMemory>>, EngineError> {
        let project = self.store.project(visitor.project);
        if project.memories().states(&[memory]).await?.is_empty() {
            return Err(StoreError::NotFound { what: "memory" }.into());
        }
        let facts = self.projects.facts(visitor.project).await?;
        let Some(space) = facts.read_space else { return Ok(Vec::new()) };
        let ranking = project_cache::settings(&facts.settings).ranking;
        let near = project.memories().near(memory, space, i64::from(most)).await?;
        let near = near.into_iter().map(|near| {
            let utility = memory_value(ranking, near.q, near.credit, near.untrusted);
            Valued { memory: near, utility }
        });
        Ok(near.collect())
    }
}

fn valued(memory: FullMemoryRow, ranking: Ranking) -> Valued<FullMemoryRow> {
    let utility = memory_value(ranking, memory.q, memory.credit, memory.untrusted);
    Valued { memory, utility }
}
