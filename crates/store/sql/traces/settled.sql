-- Whether a run has nothing left to wait for: completed or failed. No row when it is not there.
select ingest in (2, 3) from trace_state where project_id = $1 and trace_id = $2
