-- How many jobs wait or run.
select count(*) from job
