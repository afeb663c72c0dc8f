-- Memories with a good credit whose failed run was explained: its review still counts and has feedback. Reads the newest memories
-- ($2) only, so the cost does not grow with the project.
with newest as materialized (
  select memory_id, credit, evidence, status from memory_stat
  where project_id = $1
  order by memory_id desc
  limit $2
)
select n.memory_id, n.credit, n.evidence, r.review_id as source_review
from newest n
join memory m on m.project_id = $1 and m.memory_id = n.memory_id
join review r on r.project_id = $1 and r.review_id = m.source_review
where n.status = 1 and n.credit > $3::real and n.evidence >= $4::int
  and not r.passed and r.feedback is not null and r.superseded_by is null and r.withdrawn_at is null
