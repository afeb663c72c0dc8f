-- Replaces what a span says by its encrypted form, unless its run has ended in between.
update otlp_part set content = $4 where project_id = $1 and otlp_id = $2 and part_id = $3
