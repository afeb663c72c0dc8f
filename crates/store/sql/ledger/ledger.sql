-- The entries of these memories, in the order in which they moved the utilities.
select memory_id, seq, reward, alpha, annealed, used, expected, credited, voter is not null as untrusted
from utility_event
where project_id = $1 and memory_id = any($2) and not withdrawn
order by memory_id, seq
