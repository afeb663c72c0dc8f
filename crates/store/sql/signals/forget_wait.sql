-- Nothing waits for signals about a run that is gone.
delete from signal_wait w
where w.project_id = $1 and w.trace_id = $2
  and not exists (select from trace_state s where s.project_id = $1 and s.trace_id = $2)
