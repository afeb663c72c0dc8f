-- The last receipt of a key for a task, as in served.sql. The id contains the time, so only recent partitions are read.
select retrieval_id, key_id,
       memory_ids[1:served]
         || array(select c.memory_id from unnest(memory_ids, fates) as c (memory_id, fate) where c.fate = 7) as memories,
       served > 0 or held_out as found, degraded, held_out, parameters ? 'holdout_rate' as sampled
from retrieval
where project_id = $1 and task_digest = $2 and key_id = $3
  and retrieval_id >= uuid_at(now() - make_interval(secs => $4))
order by retrieval_id desc limit 1
