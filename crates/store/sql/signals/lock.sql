-- Locks signals: which runs they are about is decided by one transaction after another, so that the last one sees all runs.
select s.signal_id from signal s
where s.project_id = $1 and s.signal_id = any($2::uuid[]) and s.open
order by s.signal_id
for update
