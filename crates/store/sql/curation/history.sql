-- The ledger entries of a memory, withdrawn or not, and their reviews. Reviews of deleted runs are missing.
select e.memory_id, e.seq, e.reward, e.alpha, e.annealed, e.used, e.expected, e.credited, e.withdrawn,
       coalesce(r.created_at, e.created_at) as created_at,
       e.voter is not null as untrusted,
       e.review_id, r.trace_id, r.reviewer, e.used_by
from utility_event e
left join review r on r.project_id = $1 and r.review_id = e.review_id
where e.project_id = $1 and e.memory_id = $2
order by e.seq
