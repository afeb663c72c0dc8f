-- Records that a worker is alive. Returns no row if it counts as dead, or if the database server has lost its last commits: it
-- then has to take another id.
update job_worker set seen_at = now() where worker = $1 and dead_at is null returning worker
