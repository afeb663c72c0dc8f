-- Removes stored answers for the runs. They have the same timestamp as their run, because one transaction wrote both.
delete from idempotency i using unnest($2::uuid[], $3::timestamptz[]) as gone (trace_id, created_at)
where i.project_id = $1 and i.created_at = gone.created_at and strpos(i.answer::text, gone.trace_id::text) > 0
