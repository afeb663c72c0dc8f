-- Removes a batch of states whose runs were dropped with their partition. States are partitioned by project and not by
-- time.
delete from trace_state
where project_id = $1 and trace_id in (
  select s.trace_id from trace_state s
  where s.project_id = $1
    and s.trace_id < (select uuid_at(min(from_at)) from time_partition where parent = 'trace')
    and not exists (select from trace t where t.project_id = $1 and t.trace_id = s.trace_id)
  order by s.trace_id
  limit 5000)
