-- Where memories stand as it is written down, to be held against what the ledger says.
select memory_id, q, reviews, passes, credit, evidence from memory_stat
where project_id = $1 and memory_id > $2
order by memory_id limit $3
