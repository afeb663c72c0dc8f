-- Forgets what was announced about a project. For webhooks that begin to receive an event: a problem that exists is announced again.
delete from announced_state where project_id = $1
