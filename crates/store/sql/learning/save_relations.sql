-- Stores what a model said about near lessons, and its cost. There may be no draft: then the reflection is the JSON null. Not if
-- the review already has its memory.
with cost as (
  insert into spending (project_id, day, calls, input_tokens, output_tokens)
  values ($1, (now() at time zone 'utc')::date, $4, $5, $6)
  on conflict (project_id, day) do update
  set calls = spending.calls + excluded.calls,
      input_tokens = spending.input_tokens + excluded.input_tokens,
      output_tokens = spending.output_tokens + excluded.output_tokens
)
insert into draft (project_id, review_id, reflection, relations)
select $1, $2, 'null'::jsonb, $3 from review r join trace_state s on s.project_id = r.project_id and s.trace_id = r.trace_id
where r.project_id = $1 and r.review_id = $2 and s.review_id = $2 and not s.reviewed
-- A transaction that removes the run waits, and then finds the row.
for key share of s
on conflict (project_id, review_id) do update set relations = excluded.relations
