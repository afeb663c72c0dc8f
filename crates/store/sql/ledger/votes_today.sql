-- How often each untrusted key moved each of these memories today.
select voter, memory_id, count(*)
from utility_event
where project_id = $1 and voter = any($2::uuid[]) and memory_id = any($3::uuid[]) and not withdrawn
  and created_at >= date_trunc('day', now() at time zone 'utc') at time zone 'utc'
group by voter, memory_id
