-- Stores which memory corroborates which.
insert into memory_corroboration (project_id, memory_id, vouched_by, similarity)
select $1, memory_id, vouched_by, similarity
from unnest($2::uuid[], $3::uuid[], $4::real[]) as sent (memory_id, vouched_by, similarity)
on conflict do nothing
