-- The newest actions of the server of one kind ($3) before a cursor that are not undone.
select a.action_id from action a
where a.project_id = $1 and a.action_id < $2 and a.actor = 'server' and a.kind = $3 and a.undone_at is null
order by a.action_id desc
limit $4
