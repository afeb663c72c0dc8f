-- Records that a worker is alive. Returns no row if it counts as dead: it then has to take another id.
insert into job_worker (worker, process) values ($1, $2)
on conflict (worker) do update set seen_at = now() where job_worker.dead_at is null
returning worker
