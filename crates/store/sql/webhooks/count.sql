-- How many endpoints a project has.
select count(*) from webhook_endpoint where project_id = $1
