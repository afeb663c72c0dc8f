-- The newest entries of a project before one of them, or of the installation itself (project 0).
select audit_id, actor, action, target, request_id, address, detail::text as detail, created_at
from audit_entry where project_id = $1 and audit_id < $2 order by audit_id desc limit $3
