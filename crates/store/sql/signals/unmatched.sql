-- Signals of a minute that have found no run, after a signal.
select signal_id from signal
where project_id = $1 and open and not has_run and signal_id >= $2::uuid and signal_id < $3::uuid
order by signal_id limit 500
