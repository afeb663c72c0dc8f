-- How many runs of a project wait for their end, and how large their spans are. Counts at most so many, so its cost has a limit.
select count(*), coalesce(sum(bytes), 0)::bigint
from (select bytes from otlp_run where project_id = $1 and state < 2 limit $2::bigint) as waiting
