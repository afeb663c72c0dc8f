-- Fewer memories went out than were found: only those may be credited.
update retrieval set served = $3 where project_id = $1 and retrieval_id = $2
