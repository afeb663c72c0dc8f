-- Drops the states as they were before they were partitioned by time.
drop table if exists trace_state_by_project
