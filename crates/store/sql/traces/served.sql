-- What went out under a receipt.
select retrieval_id, key_id, memory_ids[1:served] as memories, served > 0 or held_out as found, degraded, held_out,
       parameters ? 'holdout_rate' as by_lot
from retrieval where project_id = $1 and retrieval_id = $2
