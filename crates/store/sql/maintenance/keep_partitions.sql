-- Makes coming partitions, drops expired ones, empties the default ones, and says so.
select action, partition, row_count from keep_partitions(now())
