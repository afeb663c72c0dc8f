-- Removes the keys of runs. Their texts are part of the runs, which are removed later.
with declared as materialized (
  select t.trace_id, signal_subject(own.key, own.value) as subject
  from trace t cross join jsonb_each_text(t.keys) as own
  where t.project_id = $1 and t.trace_id = any($2)
)
delete from trace_key k using declared
where k.project_id = $1 and k.subject = declared.subject and k.trace_id = declared.trace_id
