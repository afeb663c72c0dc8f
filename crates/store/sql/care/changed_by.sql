-- Some memories about which an action changed something that still holds.
select distinct memory_id from memory_change
where project_id = $1 and action_id = $2 and not undone
order by memory_id limit $3
