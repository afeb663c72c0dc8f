-- The latest version of the skill.
select version, content, passed, failed, memory_ids, model, created_at from skill
where project_id = $1 order by version desc limit 1
