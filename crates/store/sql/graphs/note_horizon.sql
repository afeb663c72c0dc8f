-- Whether all transactions have ended that may have written vectors without copying them to the graph: those that ran when its
-- copies had just begun.
update vector_graph set horizon = coalesce(horizon, pg_snapshot_xmax(pg_current_snapshot()))
where project_id = $1 and graph_id = $2 and state = 1
returning pg_snapshot_xmin(pg_current_snapshot()) >= horizon
