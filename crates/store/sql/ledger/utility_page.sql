-- The next entries of memories after their positions, in the order in which they moved the utilities: at most $4 of each
-- memory, without those of the review $5, up to the position $6.
select e.memory_id, e.seq, e.reward, e.alpha, e.annealed, e.used, e.expected, e.credited, e.untrusted
from unnest($2::uuid[], $3::bigint[]) as wanted (memory_id, after)
cross join lateral (
  select u.memory_id, u.seq, u.reward, u.alpha, u.annealed, u.used, u.expected, u.credited,
         u.voter is not null as untrusted
  from utility_event u
  where u.project_id = $1 and u.memory_id = wanted.memory_id and u.seq > wanted.after and u.seq <= $6::bigint
    and not u.withdrawn and u.review_id is distinct from $5::uuid
  order by u.seq
  limit $4
) e
order by e.memory_id, e.seq
