-- The merges in use that contain a share of one of these memories. The survivor and its donors changed by one action.
select distinct on (p.memory_id, p.seq) p.memory_id, p.seq, p.after as shares, p.entered, p.credited
from memory_change c
join memory_change p on p.project_id = $1 and p.action_id = c.action_id and p.facet = 5 and not p.undone
where c.project_id = $1 and c.memory_id = any($2) and c.facet = 0 and not c.undone and c.after ? 'merged'
order by p.memory_id, p.seq
