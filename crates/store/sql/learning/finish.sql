-- Stores a lesson as a memory and completes its run. Nothing happens if the review is not the current review of the run, or if
-- it already has a memory. A memory has the time of its review. An absorbed situation is merged from the start, and the run points to the one that absorbed it ($24).
with live as (
  select s.trace_id from trace_state s
  where s.project_id = $1 and s.trace_id = $2 and s.review_id = $26
  for update
), made as (
  insert into memory (project_id, source_trace, memory_id, author_key, origin, task, reflection, summary, guidance, key_mistake,
                      correct_action, applicable_tools, tools_used, success, metadata, model, prompt_version, note, flags,
                      step, source_review, created_at)
  select $1, live.trace_id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $21, $25, $26,
         coalesce((select r.created_at from review r where r.project_id = $1 and r.review_id = $26), now())
  from live
  on conflict do nothing
  returning memory_id, source_trace
), stat as (
  insert into memory_stat (project_id, memory_id, quarantined, trust, author_key, source_trace, lesson_id, advice, presence,
                           merged_into)
  select $1, memory_id, $19, $20::smallint, case when $20::smallint = 0 then $4::uuid end,
         case when $20::smallint = 0 then source_trace end, $22::uuid, $23::uuid,
         case when $24::uuid is null then 0 else 3 end::smallint, $24::uuid
  from made
), state as (
  update trace_state s
  set ingest = 2, reviewed = true, memory_id = coalesce($24::uuid, made.memory_id), last_error = $27, updated_at = now()
  from made where s.project_id = $1 and s.trace_id = $2
), done as (
  delete from draft where project_id = $1 and review_id = $26
)
select (select write_spaces from project where project_id = $1) as write_spaces,
       exists (select from memory_stat where project_id = $1 and status = 0) as has_unserved,
       (select webhook_types from project where project_id = $1) as webhook_types
from made
