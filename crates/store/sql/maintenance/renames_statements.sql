-- Whether a pooler renames prepared statements: sqlx has prepared this one under a name of its own, which is visible here
-- unless something between has changed it.
select not exists (select from pg_prepared_statements where name like 'sqlx\_s\_%')
