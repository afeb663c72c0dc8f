-- Creates coming partitions, drops expired ones, empties the default ones, and returns what it did. Runs with the rights of
-- the tables' owner.
select action, partition, row_count from keep_partitions_now()
