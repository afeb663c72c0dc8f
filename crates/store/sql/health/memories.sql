-- The newest active memories, and those with a utility near the start value.
select count(*) as active, count(*) filter (where abs(newest.q - 0.5) <= $3::real) as flat
from (select q from memory_stat
      where project_id = $1 and status = 1
      order by memory_id desc
      limit $2) newest
