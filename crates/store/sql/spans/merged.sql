-- Which of these spans ended runs had. The whole lists are not returned: one may have ten thousand ids.
select r.otlp_id, part.id
from otlp_run r cross join lateral unnest(r.merged) as part (id)
where r.project_id = $1 and r.otlp_id = any($2::uuid[]) and part.id = any($3::uuid[])
