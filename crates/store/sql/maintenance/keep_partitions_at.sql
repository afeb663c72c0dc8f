-- Makes the partitions that were needed at some time in the past, for rows of that time.
select action, partition, row_count from keep_partitions($1)
