-- The distances of the nearest memories, by exact search.
select c.distance from project p, exact_candidates(p.project_id, $2, $3, $4) c where p.project_id = $1 order by c.distance
