-- Ends a run that was stored (2) or refused (3), and removes its spans.
with gone as (
  delete from otlp_part where project_id = $1 and otlp_id = $2
)
update otlp_run set state = $3::smallint, last_error = left($4::text, 500) where project_id = $1 and otlp_id = $2
