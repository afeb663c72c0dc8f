-- The curation changes of a memory.
select c.seq, c.facet, c.before, c.after, c.entered, c.credited, c.undone, c.created_at, c.action_id, a.kind, a.actor
from memory_change c
join action a on a.project_id = $1 and a.action_id = c.action_id
where c.project_id = $1 and c.memory_id = $2
order by c.seq
