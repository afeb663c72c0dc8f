-- Moves jobs that a process of an earlier version has queued.
select adopt_earlier_jobs()
