-- Bodies in the rows after an id that do not start with the marker of encrypted bytes.
select trace_id, body from trace_body
where project_id = $1 and trace_id > $2 and substring(body from 1 for 4) <> $3
order by trace_id limit $4
