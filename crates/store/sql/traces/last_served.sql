-- What last went out to a key for a task. The id says when, so that only young partitions are asked.
select retrieval_id, key_id, memory_ids[1:served] as memories, served > 0 or held_out as found, degraded, held_out,
       parameters ? 'holdout_rate' as by_lot
from retrieval
where project_id = $1 and task_digest = $2 and key_id = $3
  and retrieval_id >= uuid_at(now() - make_interval(secs => $4))
order by retrieval_id desc limit 1
