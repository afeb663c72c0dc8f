-- Comments of signals after an id that do not start with the marker of encrypted texts.
select signal_id, comment from signal
where project_id = $1 and signal_id > $2 and comment is not null and not starts_with(comment, $3)
order by signal_id limit $4
