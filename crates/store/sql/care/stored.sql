-- Memories as they are stored, with all that is known of them.
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action, m.applicable_tools,
       m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.source_review, m.author_key, m.model,
       m.prompt_version, m.note, m.created_at, m.version, m.flags,
       s.q, s.credit, s.evidence, s.reviews, s.passes, s.status, s.quarantined, s.pinned, s.merged_into, s.trust,
       s.last_used
from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
where m.project_id = $1 and m.memory_id = any($2)
