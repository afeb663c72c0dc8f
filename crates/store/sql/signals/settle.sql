-- Nothing about the signals of a run waits any more, unless a signal arrived since they were read.
delete from signal_wait where project_id = $1 and trace_id = $2 and change = $3
