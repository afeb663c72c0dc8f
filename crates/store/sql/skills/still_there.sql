-- Whether all memories of a skill still exist. Locks them, so they cannot be erased before the skill is stored.
select count(*) = cardinality($2::uuid[]) from (
  select from memory where project_id = $1 and memory_id = any($2) for key share) as there
