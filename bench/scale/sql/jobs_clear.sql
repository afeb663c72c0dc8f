-- Removes every job and keeps whatever else the queue stores, as in an installation that has done its work.
delete from job
