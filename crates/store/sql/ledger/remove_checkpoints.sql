-- Removes the checkpoints of memories after their positions.
delete from fold_checkpoint f
using unnest($3::uuid[], $4::bigint[]) as changed (memory_id, position)
where f.project_id = $1 and f.fold = $2 and f.memory_id = changed.memory_id and f.position > changed.position
