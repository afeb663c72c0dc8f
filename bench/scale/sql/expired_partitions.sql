-- Partitions of a year ago, which maintenance has to drop.
select count(*) from keep_partitions(now() - interval '500 days')
