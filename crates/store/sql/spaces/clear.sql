-- Removes a batch of vectors of a space that the project neither reads nor writes.
with unused as (
  select $2::smallint as space_id from project
  where project_id = $1 and not $2 = any(write_spaces || read_space)
), searched as (
  delete from memory_vector v using unused u
  where v.project_id = $1 and v.space_id = u.space_id and v.memory_id in (
    select o.memory_id from memory_vector o where o.project_id = $1 and o.space_id = $2 limit 1000)
  returning 1
), parked as (
  delete from parked_vector v using unused u
  where v.project_id = $1 and v.space_id = u.space_id and v.memory_id in (
    select o.memory_id from parked_vector o where o.project_id = $1 and o.space_id = $2 limit 1000)
  returning 1
)
select (select count(*) from searched) + (select count(*) from parked)
