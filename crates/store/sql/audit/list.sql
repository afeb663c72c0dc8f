-- The newest entries of a project, or of the installation itself (project 0).
select audit_id, actor, action, target, request_id, created_at
from audit_entry where project_id = $1 order by audit_id desc limit $2
