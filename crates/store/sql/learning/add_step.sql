-- Stores a further situation of a run, about one of its steps. The first one has the review. All have the time of the review.
with made as (
  insert into memory (project_id, source_trace, memory_id, author_key, origin, task, reflection, summary, guidance, key_mistake,
                      correct_action, applicable_tools, tools_used, success, metadata, model, prompt_version, note, flags, step,
                      created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $21, $25,
          coalesce((select r.created_at from trace_state s
                    join review r on r.project_id = s.project_id and r.review_id = s.review_id
                    where s.project_id = $1 and s.trace_id = $2), now()))
  returning memory_id, source_trace
)
insert into memory_stat (project_id, memory_id, quarantined, trust, author_key, source_trace, lesson_id, advice, presence,
                         merged_into)
select $1, memory_id, $19, $20::smallint, case when $20::smallint = 0 then $4::uuid end,
       case when $20::smallint = 0 then source_trace end, $22::uuid, $23::uuid,
       case when $24::uuid is null then 0 else 3 end::smallint, $24::uuid
from made
