-- The last run that a search of so many looked at, if there were so many.
select trace_id from trace
where project_id = $1 and trace_id < $2 and trace_id >= $3
order by trace_id desc
offset $4 - 1 limit 1
