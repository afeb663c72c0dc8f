-- Removes the signals about runs, unless they are about other runs too.
delete from signal s
where s.project_id = $1 and s.signal_id in (select signal_id from signal_match where project_id = $1 and trace_id = any($2))
  and (select m.trace_id from signal_match m
       where m.project_id = $1 and m.signal_id = s.signal_id and m.trace_id <> all($2) limit 1) is null
