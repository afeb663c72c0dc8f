-- The last receipts of keys for tasks, each in its period, as in served.sql. Ids contain the time, and the limits of all periods
-- are parameters too: a kept plan then reads only the partitions between them.
select sent.place, last.*
from unnest($2::bytea[], $3::uuid[], $6::uuid[], $7::uuid[]) with ordinality
  as sent (task_digest, key_id, earliest, latest, place)
cross join lateral (
  select r.retrieval_id, r.key_id,
         r.memory_ids[1:r.served]
           || array(select c.memory_id from unnest(r.memory_ids, r.fates) as c (memory_id, fate) where c.fate = 7) as memories,
         r.served > 0 or r.held_out as found, r.degraded, r.held_out, r.parameters ? 'holdout_rate' as sampled
  from retrieval r
  where r.project_id = $1 and r.task_digest = sent.task_digest and r.key_id = sent.key_id
    and r.retrieval_id >= $4 and r.retrieval_id < $5
    and r.retrieval_id >= sent.earliest and r.retrieval_id < sent.latest
  order by r.retrieval_id desc limit 1
) as last
