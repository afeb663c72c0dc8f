-- A page of deleted projects, by number, whose rows must be removed. Recently deleted ones are excluded, because another server
-- may still accept a trace for them.
select project_id from project
where project_id > $1 and deleted_at < now() - make_interval(secs => $2)
order by project_id limit $3
