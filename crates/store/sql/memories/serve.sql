-- The texts of the served memories: the words of the situation that speaks for the lesson, mostly its founder. `runs` counts the
-- runs behind the lesson, at most 1000, without those that are in quarantine, retired or deleted; `lesson_reviews` are those of
-- the memory with the most reviews.
with asked as materialized (
  select m.memory_id, m.task, m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.flags, m.created_at,
         m.lesson_digest, s.lesson_id, s.trust, s.q, s.credit, s.evidence, s.reviews, s.passes,
         coalesce(f.memory_id, lesson_speaker($1, s.lesson_id), m.memory_id) as speaker
  from memory m
  join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
  left join memory_stat f on f.project_id = $1 and f.memory_id = s.lesson_id and f.lesson_id = s.lesson_id
    and f.status in (1, 4, 5) and f.trust <> 0
  where m.project_id = $1 and m.memory_id = any($2)
)
select a.memory_id, coalesce(a.lesson_id, a.memory_id) as lesson_id, a.task, t.reflection, t.summary, t.guidance, t.key_mistake,
       t.correct_action, t.applicable_tools, a.tools_used, a.success, a.metadata, a.origin, a.source_trace, t.model, t.note,
       array(select distinct flag from unnest(a.flags || t.flags) as flag order by flag) as flags, a.trust, a.created_at, a.q,
       a.credit, a.evidence, a.reviews, a.passes, greatest(same.runs, 1)::int as runs,
       coalesce(same.passed_runs, 0)::int as passed_runs, coalesce(same.tried[1], a.reviews) as lesson_reviews,
       coalesce(same.tried[2], a.passes) as lesson_passes
from asked a
join memory t on t.project_id = $1 and t.memory_id = a.speaker
cross join lateral (
  select count(*) as runs, count(*) filter (where others.success) as passed_runs,
         max(array[others.reviews, others.passes]) filter (where others.status = 1) as tried
  from (select o.success, s.status, s.reviews, s.passes
        from memory_stat s join memory o on o.project_id = $1 and o.memory_id = s.memory_id
        where s.project_id = $1 and s.lesson_id = a.lesson_id and s.lesson_id is not null and s.status in (1, 4, 5)
        union all
        select o.success, s.status, s.reviews, s.passes
        from memory o join memory_stat s on s.project_id = $1 and s.memory_id = o.memory_id and s.lesson_id is null
          and s.status in (1, 4, 5)
        where a.lesson_id is null and o.project_id = $1 and o.lesson_digest = a.lesson_digest
        limit 1000) as others
) as same
