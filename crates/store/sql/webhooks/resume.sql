-- Makes an endpoint due that was changed, and ends its rest.
update webhook_queue set paused_until = null, due_at = case when held_by is null then now() else due_at end,
                         again = held_by is not null
where project_id = $1 and endpoint_id = $2
