-- Retires the memory of a withdrawn review. Its vectors are removed; its text and its ledger entries stay. The
-- condition on the spaces allows the index to be used.
with gone as (
  select memory_id from memory where project_id = $1 and source_review = $2
), vectors as (
  delete from memory_vector where project_id = $1 and memory_id in (select memory_id from gone)
    and space_id in (select space_id from embedding_space)
), parked as (
  delete from parked_vector where project_id = $1 and memory_id in (select memory_id from gone)
)
update memory_stat set retired = true where project_id = $1 and memory_id in (select memory_id from gone)
returning memory_id
