-- Writes the statistics of learning. The caller holds the lock.
update learning_stat set replayed = $2, weight_scores = $3, use_found = $4, use_unused = $5 where project_id = $1
