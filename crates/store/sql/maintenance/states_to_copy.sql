-- The partitions of the states of runs, while these are partitioned by project. None when they are partitioned by time.
select c.relname::text
from pg_partitioned_table p
join pg_inherits i on i.inhparent = p.partrelid
join pg_class c on c.oid = i.inhrelid
where p.partrelid = 'trace_state'::regclass and p.partstrat = 'h'
order by c.oid
