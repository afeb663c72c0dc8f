-- Creates the partitions of a time in the past, for imported rows.
select action, partition, row_count from keep_partitions($1)
