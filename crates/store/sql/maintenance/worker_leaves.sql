-- Removes a worker that holds no job any more.
delete from job_worker where worker = $1
