-- The texts of the memories that are served, and the receipt that says so, in one round trip.
with receipt as (
  insert into retrieval (project_id, retrieval_id, key_id, space_id, task, task_digest, parameters,
                         memory_ids, similarities, utilities, served, degraded, embed_us, search_us, held_out, fates)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
)
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action,
       m.applicable_tools, m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.model, m.note,
       m.flags, s.trust, m.created_at, s.q, s.credit, s.evidence, s.reviews, s.passes
from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and m.memory_id = any(($8::uuid[])[1:$11])
