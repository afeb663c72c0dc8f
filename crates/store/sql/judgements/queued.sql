-- How many runs are in the judge's queue of a project.
select count(*) from reflect_jobs._private_jobs j
join reflect_jobs._private_job_queues q on q.id = j.job_queue_id
join (values ($1::int)) as judging (project_id) on q.queue_name = 'project ' || judging.project_id || ' judge'
