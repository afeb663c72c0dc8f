-- How many rows are in each default partition.
select action, partition, row_count from default_partition_rows()
