-- Projects whose rows must be removed. Recently deleted ones are excluded, because another server may still accept a
-- trace for them.
select project_id from project where deleted_at < now() - make_interval(secs => $1) order by project_id
