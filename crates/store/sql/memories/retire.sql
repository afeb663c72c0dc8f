-- Retires the memory of a withdrawn review. Its vectors are removed; its text and its ledger entries stay.
with gone as (
  select memory_id from memory where project_id = $1 and source_review = $2
), vectors as (
  delete from memory_vector where project_id = $1 and memory_id in (select memory_id from gone)
), parked as (
  delete from parked_vector where project_id = $1 and memory_id in (select memory_id from gone)
)
update memory_stat set retired = true where project_id = $1 and memory_id in (select memory_id from gone)
returning memory_id
