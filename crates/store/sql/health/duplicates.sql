-- How many of the newest memories have another one right beside them. Both sides are bounded, because every one of
-- the first is compared with every one of the second.
with vectors as materialized (
  select v.memory_id, v.embedding from memory_vector v
  where v.project_id = $1 and v.space_id = (select read_space from project where project_id = $1)
  order by v.memory_id desc
  limit $3
)
select count(*) as sampled,
       count(*) filter (where exists (select from vectors v
                                      where v.memory_id <> newest.memory_id
                                        and (v.embedding <#> newest.embedding) < -$4::float8)) as doubled
from (select memory_id, embedding from vectors order by memory_id desc limit $2) newest
