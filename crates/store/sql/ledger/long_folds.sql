-- The entries of a review in the ledgers of memories with many reviews.
select e.memory_id, e.seq, e.credited, coalesce(s.refolds, 0) as refolds
from utility_event e join memory_stat s on s.project_id = $1 and s.memory_id = e.memory_id and s.reviews > $3::bigint
where e.project_id = $1 and e.review_id = $2 and not e.withdrawn
