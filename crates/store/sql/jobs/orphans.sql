-- Reviews that wait for learning and have no job: stored by a version without a worker, or the job was removed manually.
select s.review_id from trace_state s
where s.project_id = $1 and not s.reviewed and s.ingest in (0, 1) and s.review_id is not null
  and s.updated_at < now() - interval '1 minute'
  and not exists (select from reflect_jobs._private_jobs j where j.key = 'learn ' || $1::int || ' ' || s.review_id
                  and (j.attempts < j.max_attempts or j.locked_at is not null))
limit 1000
