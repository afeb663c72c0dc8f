-- Releases corroborated memories from quarantine, so they are searched. Not those that a person put there. Ranking treats
-- them like others from now on, because trusted sources say the same. They keep their trust and cannot vouch themselves.
with freed as (
  update memory_stat s set quarantined = false, author_key = null, source_trace = null
  where s.project_id = $1 and s.memory_id = any($2::uuid[]) and s.status = 0
    and not exists (select from memory_change c
                    where c.project_id = $1 and c.memory_id = s.memory_id and c.facet = 1 and not c.undone)
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
