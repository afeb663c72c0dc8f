-- Returns jobs to the queue whose worker is not known: it was removed, and claimed jobs afterwards.
select release_jobs(array(
  select distinct j.worker from job j
  where j.worker is not null and not exists (select from job_worker w where w.worker = j.worker)))
