-- Marks the entries of a review as withdrawn and returns their positions. They stay in the ledger.
update utility_event set withdrawn = true
where project_id = $1 and review_id = $2 and not withdrawn
returning memory_id, seq, credited
