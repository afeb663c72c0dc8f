-- Memories with all stored fields. `runs` counts the memories with the same lesson and status, at most 1000.
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action, m.applicable_tools,
       m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.source_review, m.author_key, m.model,
       m.prompt_version, m.note, m.created_at, m.version, m.flags,
       s.q, s.credit, s.evidence, s.reviews, s.passes, s.status, s.quarantined, s.pinned, s.merged_into, s.trust,
       s.last_used, s.author_key is not null and s.source_trace is not null as untrusted, greatest(same.runs, 1)::int as runs
from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
cross join lateral (
  select count(*) as runs
  from (select from memory o join memory_stat t on t.project_id = $1 and t.memory_id = o.memory_id and t.status = s.status
        where o.project_id = $1 and o.lesson_digest = m.lesson_digest
        limit 1000) as others
) as same
where m.project_id = $1 and m.memory_id = any($2)
