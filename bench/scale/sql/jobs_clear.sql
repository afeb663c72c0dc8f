-- Removes every job and keeps whatever else the queue stores per project, as in an installation that has done its work.
delete from reflect_jobs._private_jobs
