-- Removes a batch of signals about runs that are older than the project's retention.
with old as (
  select m.trace_id, m.signal_id from signal_match m
  where m.project_id = $1 and m.trace_id < (select uuid_at(now() - make_interval(days => $2)))
  order by m.trace_id
  limit 1000
), signals as (
  delete from signal s
  where s.project_id = $1 and s.signal_id in (select signal_id from old)
    and (select m.trace_id from signal_match m
         where m.project_id = $1 and m.signal_id = s.signal_id
           and m.trace_id >= (select uuid_at(now() - make_interval(days => $2))) limit 1) is null
)
delete from signal_match where project_id = $1 and (trace_id, signal_id) in (select trace_id, signal_id from old)
