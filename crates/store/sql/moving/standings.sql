-- Stored utilities and credits of memories, to compare with the ledger.
select memory_id, q, reviews, passes, credit, evidence from memory_stat
where project_id = $1 and memory_id > $2
order by memory_id limit $3
