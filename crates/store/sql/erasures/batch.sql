-- A batch of runs to remove, locked in one order. Removed runs are not found again, so the rows record the progress.
select t.trace_id, t.task, t.retrieval_id, t.linked_retrieval, t.created_at
from trace t
where t.project_id = $1 and t.erased_at is null
  and ((t.subject = left($3, 500) and t.subject is not null) or t.trace_id = $2)
order by t.trace_id
limit $4
for update
