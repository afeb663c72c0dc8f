-- Returns the endpoints of a process that stops.
update webhook_queue set held_by = null, due_at = now() where held_by = $1
