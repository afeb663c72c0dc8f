-- Removes a batch of messages older than the project's retention.
delete from trace_body where project_id = $1 and trace_id in (
  select trace_id from trace_body where project_id = $1 and trace_id < uuid_at(now() - make_interval(days => $2))
  order by trace_id limit 1000)
