-- What moved these memories, in order.
select memory_id, reward, alpha from utility_event
where project_id = $1 and memory_id = any($2) and not withdrawn
order by memory_id, seq
