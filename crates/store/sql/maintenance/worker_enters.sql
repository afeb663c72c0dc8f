-- Adds a worker.
insert into job_worker (worker, process) values ($1, $2)
