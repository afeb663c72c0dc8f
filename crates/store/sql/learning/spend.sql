-- Adds to the model cost of a project today.
insert into spending (project_id, day, calls, input_tokens, output_tokens)
values ($1, (now() at time zone 'utc')::date, $2, $3, $4)
on conflict (project_id, day) do update
set calls = spending.calls + excluded.calls,
    input_tokens = spending.input_tokens + excluded.input_tokens,
    output_tokens = spending.output_tokens + excluded.output_tokens
