-- Some runs that are still to be removed, locked in one order. What was removed is not found again, so the rows
-- themselves say how far the work has come.
select t.trace_id, t.task, t.retrieval_id, t.linked_retrieval, t.created_at
from trace t
where t.project_id = $1
  and ((t.subject = left($3, 500) and t.subject is not null) or t.trace_id = $2)
order by t.trace_id
limit $4
for update
