-- The lessons of memories, in the order of the memories: the text of the speaker, and the numbers of at most 1000 situations. The
-- steps of a run are one run. A review can move several situations, so reviews, passes and credit are those of the situation
-- with the most reviews, then the most passes (`tried`). A memory that is not grouped has its lesson in common with the others of
-- its text; without a text it has no numbers.
with asked as materialized (
  select given.place, m.memory_id, s.status, s.lesson_id, m.lesson_digest, coalesce(s.lesson_id, m.memory_id) as lesson,
         coalesce(lesson_speaker($1, s.lesson_id), m.memory_id) as speaker
  from unnest($2::uuid[]) with ordinality as given (memory_id, place)
  join memory m on m.project_id = $1 and m.memory_id = given.memory_id
  join memory_stat s on s.project_id = $1 and s.memory_id = given.memory_id
)
select a.lesson as lesson_id, a.speaker, t.task, t.reflection, t.summary, t.guidance, t.key_mistake, t.correct_action,
       t.applicable_tools, t.metadata, t.version, t.flags, coalesce(n.status, a.status) as status, n.situations, n.superseded,
       n.absorbed, n.runs, n.passed_runs, coalesce(n.tried[1], 0)::int as reviews, coalesce(n.tried[2], 0)::int as passes,
       coalesce(n.tried[3], 0)::int as evidence, coalesce(n.tried[4], 0.5)::real as credit, n.credit_low, n.credit_high,
       coalesce(n.pinned, false) as pinned, coalesce(n.created_at, t.created_at) as created_at, n.last_used
from asked a
join memory t on t.project_id = $1 and t.memory_id = a.speaker
cross join lateral (
  select (array_agg(o.status order by array_position('{1,0,4,5,6,2,3}'::smallint[], o.status)))[1] as status,
         count(*) filter (where o.status = 1)::int as situations,
         count(*) filter (where o.status = 4 and o.superseded_by is not null)::int as superseded,
         count(*) filter (where o.status = 5)::int as absorbed,
         count(distinct o.source_trace) filter (where o.counts)::int as runs,
         count(distinct o.source_trace) filter (where o.counts and o.success)::int as passed_runs,
         max(array[o.reviews, o.passes, o.evidence, o.credit]::float8[]) filter (where o.counts) as tried,
         coalesce(min(o.credit) filter (where o.counts), 0.5)::real as credit_low,
         coalesce(max(o.credit) filter (where o.counts), 0.5)::real as credit_high,
         bool_or(o.pinned) as pinned, min(o.created_at) as created_at, max(o.last_used) as last_used
  from (select s.status, s.superseded_by, s.status not in (2, 3, 6) as counts, s.reviews, s.passes, s.evidence, s.credit,
               s.pinned, s.last_used, m.success, m.created_at, m.source_trace
        from memory_stat s join memory m on m.project_id = $1 and m.memory_id = s.memory_id
        where s.project_id = $1 and s.lesson_id = a.lesson_id and s.lesson_id is not null
        union all
        select s.status, s.superseded_by, s.status not in (2, 3, 6), s.reviews, s.passes, s.evidence, s.credit, s.pinned,
               s.last_used, m.success, m.created_at, m.source_trace
        from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id and s.lesson_id is null
        where a.lesson_id is null and m.project_id = $1 and m.lesson_digest = a.lesson_digest
        limit 1000) o
) n
order by a.place
