-- What is stored under an id that is sent again.
select t.content_digest, s.ingest, s.memory_id
from trace t join trace_state s on s.project_id = t.project_id and s.trace_id = t.trace_id
where t.project_id = $1 and t.trace_id = $2
