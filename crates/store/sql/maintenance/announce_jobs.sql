-- Tells the workers of all processes that there are new jobs. The text names the sender.
select pg_notify('reflect_jobs', $1)
