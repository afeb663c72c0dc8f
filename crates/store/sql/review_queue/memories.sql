-- The memories that runs are linked to, and their utilities.
select m.memory_id, m.summary, m.reflection, s.q, s.reviews, s.passes, s.evidence, s.status
from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
where m.project_id = $1 and m.memory_id = any($2::uuid[])
