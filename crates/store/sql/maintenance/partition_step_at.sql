-- Creates one partition of a time in the past ($2), for imported rows, and returns what it did. Tables with blocked partitions
-- ($1) are left alone.
select action, partition, row_count from partition_step($2, $1)
