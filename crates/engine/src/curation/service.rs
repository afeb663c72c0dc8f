//! Changes of one memory.

use reflect_store::{AuditActor, Curated, CurationRequest, MemoryState, Store, StoreError};
use reflect_types::MemoryId;
use serde_json::json;

use super::rule::{self, CurationAction};
use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::memory_indexer::MemoryIndexer;
use crate::project_cache::ProjectCache;

/// Changes memories on behalf of people.
#[derive(Debug, Clone)]
pub struct Curation {
    pub(super) store: Store,
    pub(super) projects: ProjectCache,
    pub(super) redaction: Redaction,
    pub(super) indexer: MemoryIndexer,
}

impl Curation {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        redaction: Redaction,
        indexer: MemoryIndexer,
    ) -> Self {
        Self { store, projects, redaction, indexer }
    }

    /// Changes one memory.
    pub async fn apply(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        action: CurationAction,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let request = CurationRequest {
            kind: action.kind(),
            summary: json!({ "memory_ids": [memory] }),
            memories: &[memory],
            part_of: None,
            texts: &[],
            regroups: false,
            answers: None,
        };
        let decide = |states: &[MemoryState]| {
            let changed = states.iter().map(|state| {
                if !rule::may_apply(action, visitor.trust, state) {
                    return Err(rule::untrusted());
                }
                let change = rule::change(action, state).map_err(rule::conflict)?;
                Ok(change.map(|change| (state.memory_id, change)))
            });
            Ok(changed.collect::<Result<Vec<_>, StoreError>>()?.into_iter().flatten().collect())
        };
        let curated = self.store.project(visitor.project).curation().apply(&request, actor, &decide).await?;
        self.projects.invalidate(visitor.project).await;
        Ok(curated)
    }

    /// Erases the text of a memory permanently. The caller confirms with the memory's id.
    pub async fn erase(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        named: &str,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let project = self.store.project(visitor.project);
        // Existence is checked first: an id of another project must look like one that does not exist.
        if project.memories().states(&[memory]).await?.is_empty() {
            return Err(StoreError::NotFound { what: "memory" }.into());
        }
        if named.parse() != Ok(memory) {
            let problem = "must be the id of the memory in the path: erasing cannot be undone";
            return Err(EngineError::invalid("memory_id", problem));
        }
        let curated = project.curation().erase(memory, actor, visitor.trust).await?;
        self.projects.invalidate(visitor.project).await;
        Ok(curated)
    }
}
