-- Replaces the feedback of a judgement by its encrypted form, unless it was erased in between.
update judgement set feedback = $3 where project_id = $1 and trace_id = $2 and feedback = $4
