-- What was served under a receipt, and then the memories that it stands for (7): the run received their lessons.
select retrieval_id, key_id,
       memory_ids[1:served]
         || array(select c.memory_id from unnest(memory_ids, fates) as c (memory_id, fate) where c.fate = 7) as memories,
       served > 0 or held_out as found, degraded, held_out, parameters ? 'holdout_rate' as sampled
from retrieval where project_id = $1 and retrieval_id = $2
