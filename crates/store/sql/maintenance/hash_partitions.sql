-- Into how many parts the tables of projects and the tables of runs are split, which decides whether plans are kept.
select hash_partitions, (select count(*) from time_partition where parent = 'trace')::int from installation
