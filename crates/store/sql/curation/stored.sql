-- Memories with all stored fields, with the text and the version of their lesson. `runs` counts the memories with the same lesson
-- and status, at most 1000.
with asked as materialized (
  select m.memory_id, m.task, m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.source_review, m.author_key,
         m.prompt_version, m.created_at, m.flags, m.lesson_digest, s.q, s.credit, s.evidence, s.reviews, s.passes, s.status,
         s.quarantined, s.pinned, s.merged_into, s.trust, s.last_used, s.lesson_id, s.superseded_by, s.absorbed,
         s.author_key is not null and s.source_trace is not null as untrusted,
         coalesce(lesson_speaker($1, s.lesson_id), m.memory_id) as speaker
  from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
  where m.project_id = $1 and m.memory_id = any($2)
)
select a.memory_id, coalesce(a.lesson_id, a.memory_id) as lesson_id, a.task, t.reflection, t.summary, t.guidance, t.key_mistake,
       t.correct_action, t.applicable_tools, a.tools_used, a.success, a.metadata, a.origin, a.source_trace, a.source_review,
       a.author_key, t.model, a.prompt_version, t.note, a.created_at, t.version,
       array(select distinct flag from unnest(a.flags || t.flags) as flag order by flag) as flags, a.q, a.credit, a.evidence,
       a.reviews, a.passes, a.status, a.quarantined, a.pinned, a.merged_into, a.trust, a.last_used, a.superseded_by,
       coalesce(a.absorbed, 0) as absorbed, a.untrusted, greatest(same.runs, 1)::int as runs
from asked a
join memory t on t.project_id = $1 and t.memory_id = a.speaker
cross join lateral (
  select count(*) as runs
  from (select 1 from memory_stat s
        where s.project_id = $1 and s.lesson_id = a.lesson_id and s.lesson_id is not null and s.status = a.status
        union all
        select 1 from memory o join memory_stat s on s.project_id = $1 and s.memory_id = o.memory_id and s.lesson_id is null
          and s.status = a.status
        where a.lesson_id is null and o.project_id = $1 and o.lesson_digest = a.lesson_digest
        limit 1000) as others
) as same
