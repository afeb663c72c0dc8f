-- Locks the states of the runs of memories that were absorbed at some time, in the common lock order: states of runs come before
-- memories. Only these states ever point to another memory than their own.
select from trace_state s
where s.project_id = $1 and s.trace_id in (
  select m.source_trace from memory m
  where m.project_id = $1 and m.memory_id = any($2) and m.source_trace is not null
    and exists (select from memory_change c
                where c.project_id = $1 and c.memory_id = m.memory_id and c.facet = 0 and c.after ? 'absorbed'))
order by s.trace_id
for update
