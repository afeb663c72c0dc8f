-- Makes an endpoint due that a person has changed. Ends its pause and the claim of the process that sends to it: that process knows
-- the old address.
update webhook_queue set paused_until = null, held_by = null, again = false, due_at = now()
where project_id = $1 and endpoint_id = $2
