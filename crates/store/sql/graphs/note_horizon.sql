-- Whether all transactions have ended that may have written vectors without copying them to the graph: those that ran when its
-- copies had just begun. Each of them has a lower id than this transaction. The end of the snapshot would not do: a running
-- transaction with the newest id is not below it.
update vector_graph set horizon = coalesce(horizon, pg_current_xact_id())
where project_id = $1 and graph_id = $2 and state = 1
returning pg_snapshot_xmin(pg_current_snapshot()) >= horizon
