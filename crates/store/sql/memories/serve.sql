-- The texts of the served memories. `runs` counts the active memories with the same lesson, at most 1000; `lesson_reviews`
-- are those of the one with the most reviews.
select m.memory_id, m.task, m.reflection, m.summary, m.guidance, m.key_mistake, m.correct_action,
       m.applicable_tools, m.tools_used, m.success, m.metadata, m.origin, m.source_trace, m.model, m.note,
       m.flags, s.trust, m.created_at, s.q, s.credit, s.evidence, s.reviews, s.passes, greatest(same.runs, 1)::int as runs,
       coalesce(same.tried[1], s.reviews) as lesson_reviews, coalesce(same.tried[2], s.passes) as lesson_passes
from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
cross join lateral (
  select count(*) as runs, max(array[others.reviews, others.passes]) as tried
  from (select t.reviews, t.passes
        from memory o join memory_stat t on t.project_id = $1 and t.memory_id = o.memory_id and t.status = 1
        where o.project_id = $1 and o.lesson_digest = m.lesson_digest
        limit 1000) as others
) as same
where m.project_id = $1 and m.memory_id = any($2)
