//! An action that changes more memories than one transaction may lock. What two services share.

use reflect_store::{ActionId, AuditActor, Curated, CurationRequest, Decide, ProjectCtx, StoreError};
use reflect_types::MemoryId;

/// How many memories are changed in one transaction. Their rows are locked until it ends, and reviews wait for them.
const AT_ONCE: usize = 1000;

/// Applies a request in several transactions under one action. The last one stores the texts, so their memories must be among the
/// last of the request, and the answer to a question. So a call that was interrupted can be repeated, and changes what is left.
pub(crate) async fn apply_in_parts(
    project: &ProjectCtx,
    request: &CurationRequest<'_>,
    actor: &AuditActor,
    decide: &Decide<'_>,
) -> Result<Curated, StoreError> {
    let parts = parts(request.memories, AT_ONCE);
    if parts.len() > 1 {
        // An earlier part is not taken back if a later one is refused.
        for memories in &parts {
            decide(&project.memories().states(memories).await?)?;
        }
    }
    let mut curated = Curated { action_id: request.part_of, changed: Vec::new() };
    for (number, memories) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        let done = project
            .curation()
            .apply(&part(request, memories, curated.action_id, is_last), actor, decide)
            .await?;
        curated.action_id = done.action_id;
        curated.changed.extend(done.changed);
    }
    Ok(curated)
}

/// Parts of at most this size, in order. The last one is as large as possible.
fn parts(memories: &[MemoryId], at_once: usize) -> Vec<&[MemoryId]> {
    memories.rchunks(at_once).rev().collect()
}

/// One part of a request, under the action of the parts before it.
fn part<'a>(
    request: &CurationRequest<'a>,
    memories: &'a [MemoryId],
    part_of: Option<ActionId>,
    is_last: bool,
) -> CurationRequest<'a> {
    CurationRequest {
        kind: request.kind,
        summary: request.summary.clone(),
        memories,
        part_of,
        texts: if is_last { request.texts } else { &[] },
        regroups: request.regroups,
        answers: request.answers.filter(|_| is_last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_store::{AnsweredQuestion, NewText, TextFields};
    use reflect_types::QuestionAnswer;
    use serde_json::json;
    use uuid::Uuid;

    #[test]
    fn the_last_memories_are_in_one_part() {
        let memories: Vec<MemoryId> = (0..5).map(|_| MemoryId::generate()).collect();
        assert_eq!(parts(&memories, 2), [&memories[..1], &memories[1..3], &memories[3..]]);
        assert_eq!(parts(&memories, 5), [&memories[..]]);
        assert!(parts(&[], 2).is_empty());
    }

    #[test]
    fn only_the_last_part_stores_texts_and_the_answer() {
        let memories = [MemoryId::generate(), MemoryId::generate()];
        let fields = TextFields {
            task: "sort".into(),
            reflection: "Ask first.".into(),
            summary: String::new(),
            guidance: String::new(),
            key_mistake: String::new(),
            correct_action: String::new(),
            applicable_tools: Vec::new(),
            metadata: json!({}),
        };
        let text = NewText { memory_id: memories[1], instead_of: 1, fields, vectors: Vec::new() };
        let answered = AnsweredQuestion { question_id: Uuid::now_v7(), answer: QuestionAnswer::Same };
        let request = CurationRequest {
            kind: "lesson.answer",
            summary: json!({ "a": 1 }),
            memories: &memories,
            part_of: None,
            texts: &[text],
            regroups: true,
            answers: Some(answered),
        };
        let action = Uuid::now_v7();

        let first = part(&request, &memories[..1], None, false);
        let last = part(&request, &memories[1..], Some(action), true);

        assert_eq!((first.texts.len(), first.answers, first.part_of), (0, None, None));
        assert_eq!((last.texts.len(), last.answers, last.part_of), (1, Some(answered), Some(action)));
        assert!(first.regroups && last.regroups);
        assert_eq!(
            (last.kind, last.memories, &last.summary),
            (request.kind, &memories[1..], &request.summary)
        );
    }
}
