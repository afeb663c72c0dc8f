-- Creates or drops one partition that is due, with the rights of the tables' owner, and returns what it did. Tables with blocked
-- partitions ($1) are left alone.
select action, partition, row_count from partition_step_now($1)
