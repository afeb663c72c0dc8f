//! Lessons for people: lists, grouping, questions about contradictions, and the grouping of existing memories.

mod group;
mod grouping;
mod questions;

use reflect_store::{LessonRow, MemoryOrder, MemorySelector, Store};
use reflect_types::{LessonId, MemorySort};

use crate::action_undo::ActionUndo;
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache::ProjectCache;
pub use grouping::GroupingStatus;

/// Which lessons a page of a list shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonPage {
    /// Lessons with a memory of this selection.
    pub selection: MemorySelector,
    /// The order.
    pub sort: MemorySort,
    /// The cursor that the page before returned.
    pub after: Option<LessonId>,
    /// The size of the page.
    pub limit: u32,
}

/// Shows and changes which memories have one lesson.
#[derive(Debug, Clone)]
pub struct LessonBank {
    store: Store,
    projects: ProjectCache,
    undo: ActionUndo,
}

impl LessonBank {
    pub(crate) const fn new(store: Store, projects: ProjectCache, undo: ActionUndo) -> Self {
        Self { store, projects, undo }
    }

    /// A page of a list, and the cursor to go on from.
    pub async fn list(
        &self,
        visitor: &Visitor,
        page: &LessonPage,
    ) -> Result<(Vec<LessonRow>, Option<LessonId>), EngineError> {
        let order = MemoryOrder { sort: page.sort, ranking: self.projects.ranking(visitor.project).await? };
        let project = self.store.project(visitor.project);
        Ok(project.lessons().list(&page.selection, order, page.after, page.limit).await?)
    }

    /// One lesson.
    pub async fn get(&self, visitor: &Visitor, lesson: LessonId) -> Result<LessonRow, EngineError> {
        Ok(self.store.project(visitor.project).lessons().get(lesson).await?)
    }
}
