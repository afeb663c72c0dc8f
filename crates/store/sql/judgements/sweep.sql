-- Removes a batch of judgements whose runs were dropped with their partition.
delete from judgement
where project_id = $1 and trace_id in (
  select j.trace_id from judgement j
  where j.project_id = $1
    and j.trace_id < (select uuid_at(min(from_at)) from time_partition where parent = 'trace')
    and not exists (select from trace t where t.project_id = $1 and t.trace_id = j.trace_id)
  order by j.trace_id
  limit 5000)
