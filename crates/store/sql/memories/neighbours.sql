-- The reviewed runs with the most similar tasks. Each has a memory, and the memory's vector is that of its task. Runs that a
-- memory absorbed had nearly the same task. Of its own run and those, only the newest ($5) count: one task must not take all
-- places, and what happened last says most.
with nearest as materialized (
  select memory_id, distance from candidates($1, $2, $3, $4)
)
select (-n.distance)::real as similarity, of_memory.passed, of_memory.reviewed_at,
       (select count(*) from nearest) as looked_at
from nearest n
cross join lateral (
  select m.memory_id as run, r.passed, r.created_at as reviewed_at
  from (select n.memory_id
        union all
        select s.memory_id from memory_stat s
        where s.project_id = $1 and s.merged_into = n.memory_id and s.merged_into is not null and s.status = 5) runs
  join memory m on m.project_id = $1 and m.memory_id = runs.memory_id
  join review r on r.project_id = $1 and r.review_id = m.source_review
    and r.superseded_by is null and r.withdrawn_at is null
  order by m.memory_id desc
  limit $5
) of_memory
order by n.distance, n.memory_id, of_memory.run desc
