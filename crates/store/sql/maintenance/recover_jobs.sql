-- Returns the jobs of workers without a heartbeat to the queue.
select recover_jobs($1)
