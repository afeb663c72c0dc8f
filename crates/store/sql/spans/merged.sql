-- Which of these spans ended runs had. The whole lists are not returned: one may have ten thousand ids. `intersect` hashes both
-- sides, so many spans of a large run are not compared one by one.
select r.otlp_id, part.id
from otlp_run r cross join lateral (select unnest(r.merged) intersect select unnest($3::uuid[])) as part (id)
where r.project_id = $1 and r.otlp_id = any($2::uuid[])
