-- Closes a run. Its spans are noted, so that one of them that arrives again is recognised.
update otlp_run
set state = 1, merged = array(select part_id from otlp_part p where p.project_id = $1 and p.otlp_id = $2 limit 10000)
where project_id = $1 and otlp_id = $2 and state = 0
