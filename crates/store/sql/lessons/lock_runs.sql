-- Locks the states of the runs of memories, in the common lock order: states of runs come before memories.
select from trace_state s
where s.project_id = $1 and s.trace_id in (
  select m.source_trace from memory m
  where m.project_id = $1 and m.memory_id = any($2) and m.source_trace is not null)
order by s.trace_id
for update
