-- Reviews that wait for learning and have no job: stored by a version without a worker, or the job was removed manually.
select s.review_id from trace_state s
where s.project_id = $1 and not s.reviewed and s.ingest in (0, 1) and s.review_id is not null
  and s.updated_at < now() - interval '1 minute'
  and not exists (select from job j where j.project_id = $1 and j.kind = 0 and j.subject = s.review_id)
limit 1000
