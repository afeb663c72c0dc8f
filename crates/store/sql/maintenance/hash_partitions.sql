-- Into how many parts the tables of projects are split, which decides whether plans are kept.
select hash_partitions from installation
