-- Stores a judgement and its cost. A second judgement, or one of a deleted run, is not stored; its cost is.
with cost as (
  insert into spending (project_id, day, calls, input_tokens, output_tokens, judge_tokens)
  values ($1, (now() at time zone 'utc')::date, $9, $10, $11, $10::bigint + $11::bigint)
  on conflict (project_id, day) do update
  set calls = spending.calls + excluded.calls,
      input_tokens = spending.input_tokens + excluded.input_tokens,
      output_tokens = spending.output_tokens + excluded.output_tokens,
      judge_tokens = spending.judge_tokens + excluded.judge_tokens
)
insert into judgement (project_id, trace_id, verdict, feedback, confidence, model, rubric_digest, blind, input_tokens,
                       output_tokens)
select $1, $2, $3, $4, $5, $6, $7, $8, least($10::bigint, 2147483647)::int, least($11::bigint, 2147483647)::int
from trace_state s where s.project_id = $1 and s.trace_id = $2
-- A transaction that removes the run waits, and then finds the judgement.
for key share of s
on conflict (project_id, trace_id) do nothing
