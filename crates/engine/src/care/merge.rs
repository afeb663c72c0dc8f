//! Merging memories: one stays, the others point at it, and what they were worth is pooled.

use reflect_store::{Actor, Care, Cared, MemoryState};
use reflect_types::MemoryId;
use serde_json::json;

use super::{LessonEdit, rule};
use crate::authenticate::Visitor;
use crate::{Engine, EngineError};

const MOST_MERGED: usize = 100;

/// Memories that become one.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The one that stays.
    pub survivor: MemoryId,
    /// Those whose place it takes.
    pub others: Vec<MemoryId>,
    /// What is to be different about its text.
    pub text: Option<LessonEdit>,
}

impl Engine {
    /// Merges memories into one of them.
    pub async fn merge_memories(
        &self,
        visitor: &Visitor,
        merge: Merge,
        actor: &Actor,
    ) -> Result<Cared, EngineError> {
        let Merge { survivor, mut others, text } = merge;
        others.sort();
        others.dedup();
        if others.is_empty() || others.contains(&survivor) {
            return Err(EngineError::invalid("memory_ids", "must name others than the one that stays"));
        }
        if others.len() > MOST_MERGED {
            let problem = format!("must not name more than {MOST_MERGED} memories");
            return Err(EngineError::invalid("memory_ids", problem));
        }
        let text = match text {
            Some(edit) => self.new_text(visitor, survivor, edit).await?,
            None => None,
        };
        let summary = json!({ "survivor": survivor, "memory_ids": others });
        let memories = [others.as_slice(), &[survivor]].concat();
        let care = Care {
            kind: "memory.merge",
            summary,
            memories: &memories,
            part_of: None,
            text: text.as_ref().map(|(text, _)| text),
        };
        let decide = |states: &[MemoryState]| rule::merge(survivor, states);
        Ok(self.store.project(visitor.project).care(&care, actor, &decide).await?)
    }
}
