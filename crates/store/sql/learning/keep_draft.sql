-- Keeps a reflection the moment it was paid for, together with what it cost.
with cost as (
  insert into spending (project_id, day, calls, input_tokens, output_tokens)
  values ($1, (now() at time zone 'utc')::date, $4, $5, $6)
  on conflict (project_id, day) do update
  set calls = spending.calls + excluded.calls,
      input_tokens = spending.input_tokens + excluded.input_tokens,
      output_tokens = spending.output_tokens + excluded.output_tokens
)
insert into draft (project_id, review_id, reflection) values ($1, $2, $3)
on conflict (project_id, review_id) do nothing
