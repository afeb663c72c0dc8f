-- Stores a lesson without a run, which a person wrote or imported. Returns the types of events that the project sends.
with made as (
  insert into memory (project_id, memory_id, author_key, origin, task, reflection, summary, guidance, key_mistake,
                      correct_action, applicable_tools, tools_used, success, metadata, note, flags)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '{}', $12, $13, $14, $19)
  returning memory_id
)
insert into memory_stat (project_id, memory_id, quarantined, trust, lesson_id, advice)
select $1, memory_id, $15, $16, $17, $18 from made
returning (select webhook_types from project where project_id = $1)
