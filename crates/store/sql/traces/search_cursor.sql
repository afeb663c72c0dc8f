-- The last run that a limited search read, if it reached its limit.
select trace_id from trace
where project_id = $1 and trace_id < $2 and trace_id >= $3
order by trace_id desc
offset $4 - 1 limit 1
