-- Looks at the signals of a run again at a later time. No row if a signal arrived since they were read.
update signal_wait set until = $4 where project_id = $1 and trace_id = $2 and change = $3 returning trace_id
