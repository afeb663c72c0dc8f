-- The checkpoints of memories in the order of their positions, to compare with the ledger.
select memory_id, fold, position, value, reviews, passes from fold_checkpoint
where project_id = $1 and memory_id = any($2)
order by memory_id, fold, position
