-- Stores a lesson as a memory and completes its run. Nothing happens if the review is not the current review of the run,
-- or if it already has a memory.
with live as (
  select s.trace_id from trace_state s
  where s.project_id = $1 and s.trace_id = $2 and s.review_id = $3
  for update
), made as (
  insert into memory (project_id, memory_id, source_review, source_trace, author_key, origin, task, reflection, summary,
                      guidance, key_mistake, correct_action, applicable_tools, tools_used, success, metadata, model,
                      prompt_version, note, flags)
  select $1, $4, $3, live.trace_id, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $22 from live
  on conflict do nothing
  returning memory_id, source_trace
), stat as (
  insert into memory_stat (project_id, memory_id, quarantined, trust, author_key, source_trace)
  select $1, memory_id, $20, $21::smallint, case when $21::smallint = 0 then $5::uuid end,
         case when $21::smallint = 0 then source_trace end
  from made
), state as (
  update trace_state s set ingest = 2, reviewed = true, memory_id = made.memory_id, last_error = $23, updated_at = now()
  from made where s.project_id = $1 and s.trace_id = $2
), done as (
  delete from draft where project_id = $1 and review_id = $3
)
select memory_id, (select write_spaces from project where project_id = $1),
       exists (select from parked_vector where project_id = $1) as has_unserved
from made
