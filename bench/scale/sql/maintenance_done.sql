-- Which steps of maintenance have done their work. $1 is a run whose job was lost, $2 a memory without a vector.
select 'partitions' as step, not exists (
         select from time_partition t join partition_plan p on p.parent = t.parent where t.to_at < now() - p.keep) as done
union all select 'expiry', not exists (select from idempotency where key = 'scale-expired')
union all select 'requeue', exists (select from trace_state where trace_id = $1 and reviewed)
union all select 'purge', not exists (select from project where slug = 'scale-deleted')
union all select 'retention', not exists (select from trace where task = 'scale expired')
union all select 'placement', exists (select from memory_vector where memory_id = $2)
union all select 'lessons', exists (
            select from learning_stat s join memory m on m.project_id = s.project_id
            where m.memory_id = $2 and s.grouping = 2)
