-- Stores a new version of a project's skill.
insert into skill (project_id, version, content, passed, failed, memory_ids, model)
select $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, $6 from skill where project_id = $1
returning version, content, passed, failed, memory_ids, model, created_at
