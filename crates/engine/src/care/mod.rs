//! Care for memories: taking them out of use and back, pinning, editing, merging, writing and erasing them, and
//! undoing all of it but the last.

mod bulk;
mod edit;
mod merge;
mod rule;
mod undo;
mod write;

use reflect_store::{Actor, Care, Cared, NearMemory, StoreError};
use reflect_types::MemoryId;
use serde_json::json;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};
pub use bulk::{Bulk, BulkOutcome};
pub use edit::LessonEdit;
pub use merge::Merge;
pub use rule::Verb;
pub use write::ManualLesson;

const LONGEST_TASK: usize = 64 * 1024;
const LARGEST_METADATA: usize = 256 * 1024;

impl Engine {
    /// Does something to one memory.
    pub async fn care_for(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        verb: Verb,
        actor: &Actor,
    ) -> Result<Cared, EngineError> {
        let care = Care {
            kind: verb.kind(),
            summary: json!({ "memory_ids": [memory] }),
            memories: &[memory],
            part_of: None,
            text: None,
        };
        let decide = |states: &[reflect_store::MemoryState]| {
            let changed = states.iter().map(|state| {
                let change = rule::change(verb, state)?;
                Ok(change.map(|change| (state.memory_id, change)))
            });
            Ok(changed.collect::<Result<Vec<_>, &'static str>>()?.into_iter().flatten().collect())
        };
        let cared = self.store.project(visitor.project).care(&care, actor, &decide).await?;
        self.forget_pins(visitor).await;
        Ok(cared)
    }

    /// Removes what a memory says, for good. Whoever asks for it has to name the memory a second time.
    pub async fn erase_memory(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        named: &str,
        actor: &Actor,
    ) -> Result<Cared, EngineError> {
        let project = self.store.project(visitor.project);
        // That it is not there comes first: a foreign id must look like one that does not exist.
        if project.memory_states(&[memory]).await?.is_empty() {
            return Err(StoreError::NotFound { what: "memory" }.into());
        }
        if named.parse() != Ok(memory) {
            let problem = "must be the id of the memory in the path: what is erased cannot be brought back";
            return Err(EngineError::invalid("memory_id", problem));
        }
        let cared = project.erase_memory(memory, actor).await?;
        self.forget_pins(visitor).await;
        Ok(cared)
    }

    /// The memories whose tasks are nearest to that of one; none when it has no vector.
    pub async fn memory_neighbours(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        most: u32,
    ) -> Result<Vec<NearMemory>, EngineError> {
        let project = self.store.project(visitor.project);
        if project.memory_states(&[memory]).await?.is_empty() {
            return Err(StoreError::NotFound { what: "memory" }.into());
        }
        let Some(space) = self.facts(visitor.project).await?.read_space else { return Ok(Vec::new()) };
        Ok(project.near_memories(memory, space, i64::from(most)).await?)
    }

    /// Which memories are pinned is known for a while; who changed it should see that at once.
    async fn forget_pins(&self, visitor: &Visitor) {
        self.known.facts.invalidate(&visitor.project).await;
    }
}

fn check_task(task: &str) -> Result<(), EngineError> {
    if task.trim().is_empty() {
        return Err(EngineError::invalid("task", "must not be empty"));
    }
    if task.len() > LONGEST_TASK {
        return Err(EngineError::invalid("task", "must not be longer than 64 kB"));
    }
    Ok(())
}

fn check_metadata(metadata: &serde_json::Value) -> Result<(), EngineError> {
    if metadata.to_string().len() > LARGEST_METADATA {
        return Err(EngineError::invalid("metadata", "must not be larger than 256 kB"));
    }
    Ok(())
}
