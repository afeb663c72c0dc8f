-- The cost of the judge today, and how many seconds are left of the day.
select coalesce((select judge_tokens from spending
                 where project_id = $1 and day = (now() at time zone 'utc')::date), 0)::bigint,
       extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day' - (now() at time zone 'utc'))::float8
