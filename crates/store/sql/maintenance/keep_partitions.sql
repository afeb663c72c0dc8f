-- Creates coming partitions, drops expired ones, empties the default ones, and returns what it did.
select action, partition, row_count from keep_partitions(now())
