-- Stores checkpoints of folds.
insert into fold_checkpoint (project_id, fold, memory_id, position, value, reviews, passes)
select $1, $2, memory_id, position, value, reviews, passes
from unnest($3::uuid[], $4::bigint[], $5::real[], $6::int[], $7::int[])
  as sent (memory_id, position, value, reviews, passes)
on conflict (project_id, memory_id, fold, position) do update
set value = excluded.value, reviews = excluded.reviews, passes = excluded.passes
