-- Takes the memory that came of a review out of use. Its vectors go; its text and its place in the
-- ledger stay.
with gone as (
  select memory_id from memory where project_id = $1 and source_review = $2
), vectors as (
  delete from memory_vector where project_id = $1 and memory_id in (select memory_id from gone)
)
update memory_stat set status = 2 where project_id = $1 and memory_id in (select memory_id from gone)
returning memory_id
