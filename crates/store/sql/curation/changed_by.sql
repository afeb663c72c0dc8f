-- A batch of memories with changes by an action that are not undone.
select distinct memory_id from memory_change
where project_id = $1 and action_id = $2 and not undone
order by memory_id limit $3
