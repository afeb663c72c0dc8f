-- Reviews that wait for learning and have no job: stored by a version without a worker, or the job was removed manually. Reads one
-- page of the runs without a lesson, because most of them may have no review. Also returns the run after which the next page
-- begins, null at the end.
with page as materialized (
  select s.trace_id, s.review_id, s.ingest, s.updated_at from trace_state s
  where s.project_id = $1 and not s.reviewed and s.trace_id > $2
  order by s.trace_id
  limit 20000
)
select array(select p.review_id from page p
             where p.ingest in (0, 1) and p.review_id is not null and p.updated_at < now() - interval '1 minute'
               and not exists (select from job j where j.project_id = $1 and j.kind = 0 and j.subject = p.review_id)),
       case when (select count(*) from page) = 20000 then (select trace_id from page order by trace_id desc limit 1) end
