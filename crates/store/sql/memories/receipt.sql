-- What a retrieval asked, considered and served.
select retrieval_id, task, parameters, memory_ids, scores, similarities, utilities, fates, degraded, held_out,
       embed_us, search_us, created_at
from retrieval where project_id = $1 and retrieval_id = $2
