-- Whether all memories that a guide was written from are there; they cannot be erased before the guide is stored.
select count(*) = cardinality($2::uuid[]) from (
  select from memory where project_id = $1 and memory_id = any($2) for key share) as there
