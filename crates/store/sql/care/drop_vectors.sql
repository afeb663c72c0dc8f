-- Where a memory stood belongs to a task that it has no more, or to a text that is gone.
with searched as (
  delete from memory_vector
  where project_id = $1 and memory_id = $2 and space_id in (select space_id from embedding_space)
)
delete from parked_vector where project_id = $1 and memory_id = $2
