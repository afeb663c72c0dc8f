-- Makes delayed jobs of a project due now, because a changed setting may resolve what they wait for. Jobs in the grace period of a
-- review are excluded. If there are very many, the others keep their time.
update job j
set run_at = case when j.worker is null then now() else j.run_at end,
    ready_at = case when j.worker is null then now() else j.ready_at end,
    again_at = case when j.worker is not null then now() end
where j.project_id = $1 and (j.kind, j.subject) in (
  select w.kind, w.subject from job w
  where w.project_id = $1 and w.kind in (0, 3, 10) and (w.ready_at is null or w.again_at > now())
    and not exists (select from review r
                    where r.project_id = $1 and w.kind = 0 and r.review_id = w.subject and r.learns_at > now())
  limit 10000)
