-- What the newest retrievals gave. Those from before the first memory had nothing to find, and those that were held
-- out gave nothing on purpose. Where nothing was similar enough, the nearest comes first, and says how near it was.
select count(*) as retrievals, count(*) filter (where served = 0) as empty,
       count(*) filter (where served = 0 and 5 = any(fates)) as without_room,
       count(*) filter (where served = 0 and degraded) as degraded,
       percentile_cont(0.5) within group (order by similarities[1]) filter (where served = 0 and fates[1] = 1) as near_miss
from (select served, fates, similarities, degraded from retrieval
      where project_id = $1 and not held_out
        and retrieval_id >= uuid_at(now() - make_interval(days => $2))
        and retrieval_id >= (select memory_id from memory where project_id = $1 order by memory_id limit 1)
      order by retrieval_id desc
      limit $3) recent
