-- Removes the vectors of a changed task ($3) or a changed lesson ($4). The space says which of them it embeds.
with others as (
  select space_id from embedding_space where case key_text when 'task' then $3::boolean else $4::boolean end
), searched as (
  delete from memory_vector where project_id = $1 and memory_id = $2 and space_id in (select space_id from others)
)
delete from parked_vector where project_id = $1 and memory_id = $2 and space_id in (select space_id from others)
