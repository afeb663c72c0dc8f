-- Whether processing of a run has ended: completed or failed. No row if there is no such run.
select ingest in (2, 3) from trace_state where project_id = $1 and trace_id = $2
