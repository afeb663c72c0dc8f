-- Retires the memories of a withdrawn review. Their vectors are removed; their texts and ledger entries stay. The condition on the
-- spaces allows the index to be used.
with vectors as (
  delete from memory_vector where project_id = $1 and memory_id = any($2)
    and space_id in (select space_id from embedding_space)
), parked as (
  delete from parked_vector where project_id = $1 and memory_id = any($2)
)
update memory_stat set retired = true where project_id = $1 and memory_id = any($2)
