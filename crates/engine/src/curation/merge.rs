//! Merging memories: one survives, the others point to it, and their utilities and credits are pooled.

use reflect_store::{AuditActor, Curated, CurationRequest, MemoryState};
use reflect_types::MemoryId;
use serde_json::json;

use super::edit::LessonEdit;
use super::rule;
use super::service::Curation;
use crate::caller::Visitor;
use crate::error::EngineError;

const MOST_MERGED: usize = 100;

/// Memories to merge.
#[derive(Debug, Clone)]
pub struct MemoryMerge {
    /// The memory that survives.
    pub survivor: MemoryId,
    /// The memories that are merged into it.
    pub others: Vec<MemoryId>,
    /// Changes of its text.
    pub text: Option<LessonEdit>,
}

impl Curation {
    /// Merges memories into one.
    pub async fn merge(
        &self,
        visitor: &Visitor,
        merge: MemoryMerge,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let MemoryMerge { survivor, mut others, text } = merge;
        others.sort();
        others.dedup();
        if others.is_empty() || others.contains(&survivor) {
            return Err(EngineError::invalid("memory_ids", "must name memories other than the survivor"));
        }
        if others.len() > MOST_MERGED {
            let problem = format!("must not name more than {MOST_MERGED} memories");
            return Err(EngineError::invalid("memory_ids", problem));
        }
        let texts = match text {
            Some(edit) => self.new_texts(visitor, survivor, edit).await?.texts,
            None => Vec::new(),
        };
        let summary = json!({ "survivor": survivor, "memory_ids": others });
        let merged = [others.as_slice(), &[survivor]].concat();
        // The text of a lesson may be that of another memory.
        let speakers = texts.iter().map(|text| text.memory_id).filter(|memory| !merged.contains(memory));
        let memories: Vec<MemoryId> = merged.iter().copied().chain(speakers).collect();
        let request = CurationRequest {
            kind: "memory.merge",
            summary,
            memories: &memories,
            part_of: None,
            texts: &texts,
            regroups: false,
            answers: None,
        };
        let decide = |states: &[MemoryState]| {
            rule::check_may_rewrite(visitor.trust, states)?;
            let states: Vec<MemoryState> =
                states.iter().filter(|state| merged.contains(&state.memory_id)).copied().collect();
            rule::merge(survivor, &states).map_err(rule::conflict)
        };
        Ok(self.store.project(visitor.project).curation().apply(&request, actor, &decide).await?)
    }
}
