-- Lets memories out of quarantine: from now on they are searched.
with freed as (
  update memory_stat set quarantined = false
  where project_id = $1 and memory_id = any($2::uuid[]) and status = 0
  returning memory_id
), moved as (
  delete from parked_vector where project_id = $1 and memory_id in (select memory_id from freed)
  returning space_id, memory_id, embedding
), placed as (
  insert into memory_vector (project_id, space_id, memory_id, embedding)
  select $1, space_id, memory_id, embedding from moved
  on conflict do nothing
)
select memory_id from freed order by memory_id
