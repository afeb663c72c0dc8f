-- How many of the newest memories have a near duplicate. Both sides are limited, because all pairs are compared.
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
