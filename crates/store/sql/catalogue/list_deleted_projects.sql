-- Projects whose rows still have to be removed. Not the ones deleted a moment ago: another server may
-- still take in a run for them.
select project_id from project where deleted_at < now() - make_interval(secs => $1) order by project_id
