-- Points runs to the memory that they created ($3): their own ($2), or the one that absorbed it. A run whose review changed in
-- the meantime stays.
update trace_state s set memory_id = sent.created, updated_at = now()
from unnest($2::uuid[], $3::uuid[]) as sent (memory_id, created)
join memory m on m.project_id = $1 and m.memory_id = sent.memory_id
where s.project_id = $1 and s.trace_id = m.source_trace and s.review_id = m.source_review and s.reviewed
  and s.memory_id is distinct from sent.created
