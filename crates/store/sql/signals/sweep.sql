-- Removes a batch of signals, with their matches: those that no run had within 30 days, and those from before the oldest partition
-- of runs.
with old as (
  select s.signal_id from signal s
  where s.project_id = $1 and s.signal_id < uuid_at(now() - interval '30 days')
    and (s.awaits is not null and not exists (select from signal_match m where m.project_id = $1 and m.signal_id = s.signal_id)
         or s.signal_id < (select uuid_at(min(from_at)) from time_partition where parent = 'trace'))
  order by s.signal_id
  limit 1000
), matches as (
  delete from signal_match where project_id = $1 and signal_id in (select signal_id from old)
)
delete from signal where project_id = $1 and signal_id in (select signal_id from old)
