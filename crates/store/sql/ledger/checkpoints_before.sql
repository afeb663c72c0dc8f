-- The last checkpoint of each memory at or before a position.
select c.memory_id, c.fold, c.position, c.value, c.reviews, c.passes
from unnest($3::uuid[], $4::bigint[]) as wanted (memory_id, most)
cross join lateral (
  select f.memory_id, f.fold, f.position, f.value, f.reviews, f.passes
  from fold_checkpoint f
  where f.project_id = $1 and f.fold = $2 and f.memory_id = wanted.memory_id and f.position <= wanted.most
  order by f.position desc
  limit 1
) c
