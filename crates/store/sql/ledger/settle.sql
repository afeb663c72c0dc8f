-- Writes utilities after new ledger entries, and the position of the last one.
update memory_stat s
set q = sent.q, reviews = sent.reviews, passes = sent.passes, entered = sent.entered, last_used = now()::date
from unnest($2::uuid[], $3::real[], $4::int[], $5::int[], $6::bigint[]) as sent (memory_id, q, reviews, passes, entered)
where s.project_id = $1 and s.memory_id = sent.memory_id
