-- The state of memories, without locks, for previews.
select s.memory_id, s.presence, s.merged_into, s.superseded_by, s.quarantined, s.pinned, s.retired, s.status, s.trust, s.q,
       s.reviews, s.passes, s.credit, s.evidence, s.lesson_id
from memory_stat s
where s.project_id = $1 and s.memory_id = any($2)
order by s.memory_id
