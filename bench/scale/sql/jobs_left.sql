-- How many jobs wait or run.
select count(*) from reflect_jobs._private_jobs where attempts < max_attempts or locked_at is not null
