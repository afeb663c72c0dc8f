-- The newest actions before a cursor, newest first, also those of the server, with how much each of them changed.
select a.action_id, a.actor, a.kind, a.summary, a.created_at, a.undone_at, a.undone_by,
       (select count(distinct c.memory_id) from memory_change c
        where c.project_id = $1 and c.action_id = a.action_id) as memories,
       (select count(*) from review r where r.project_id = $1 and r.action_id = a.action_id) as reviews
from action a
where a.project_id = $1 and a.action_id < $2
order by a.action_id desc
limit $3
