-- Writes which types of events the endpoints of a project receive, if that has changed. The caller holds the lock of the project.
update project p set webhook_types = now_received.types
from (select coalesce(bit_or(types), 0) as types from webhook_endpoint where project_id = $1 and enabled) as now_received
where p.project_id = $1 and p.webhook_types <> now_received.types
