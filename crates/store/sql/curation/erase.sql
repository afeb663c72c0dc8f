-- Removes all texts of a memory, and what was computed from them. Its counters stay.
with versions as (
  delete from memory_version where project_id = $1 and memory_id = $2
), vectors as (
  delete from version_vector where project_id = $1 and memory_id = $2
), imported as (
  -- The key stays, so the item does not come back.
  update memory_import set source = '{}' where project_id = $1 and memory_id = $2
), advice as (
  update memory_stat set advice = null where project_id = $1 and memory_id = $2
)
update memory set task = '', reflection = '', summary = '', guidance = '', key_mistake = '', correct_action = '',
                  applicable_tools = '{}', tools_used = '{}', metadata = '{}', note = null
where project_id = $1 and memory_id = $2
