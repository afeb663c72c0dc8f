//! An action that changes more memories than one transaction may lock. What two services share.

use reflect_store::{AuditActor, Curated, CurationRequest, Decide, ProjectCtx, StoreError};

/// How many memories are changed in one transaction. Their rows are locked until it ends, and reviews wait for them.
const AT_ONCE: usize = 1000;

/// Applies a request in several transactions under one action. The first one stores the texts, so their memories must be
/// among the first of the request, and the answer to a question.
pub(crate) async fn apply_in_parts(
    project: &ProjectCtx,
    request: &CurationRequest<'_>,
    actor: &AuditActor,
    decide: &Decide<'_>,
) -> Result<Curated, StoreError> {
    let mut curated = Curated { action_id: request.part_of, changed: Vec::new() };
    for (number, memories) in request.memories.chunks(AT_ONCE).enumerate() {
        let part = CurationRequest {
            kind: request.kind,
            summary: request.summary.clone(),
            memories,
            part_of: curated.action_id,
            texts: if number == 0 { request.texts } else { &[] },
            answers: request.answers.filter(|_| number == 0),
        };
        let done = project.curation().apply(&part, actor, decide).await?;
        curated.action_id = done.action_id;
        curated.changed.extend(done.changed);
    }
    Ok(curated)
}
