-- Holds memories that are to be cared for, in the order in which everybody does, and says how they stand.
select s.memory_id, s.presence, s.merged_into, s.quarantined, s.pinned, s.retired, s.status, s.q, s.reviews, s.passes,
       s.credit, s.evidence
from memory_stat s
where s.project_id = $1 and s.memory_id = any($2)
order by s.memory_id
for update
