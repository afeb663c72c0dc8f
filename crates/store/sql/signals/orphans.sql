-- Runs whose signals wait without a job, for example because the project was moved.
select w.trace_id, greatest(extract(epoch from w.until - now()), 0)::float8 as delay from signal_wait w
where w.project_id = $1 and not exists (select from job j where j.project_id = $1 and j.kind = 3 and j.subject = w.trace_id)
limit 1000
