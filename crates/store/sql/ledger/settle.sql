-- Writes utilities after new ledger entries.
update memory_stat s set q = sent.q, reviews = sent.reviews, passes = sent.passes, last_used = now()::date
from unnest($2::uuid[], $3::real[], $4::int[], $5::int[]) as sent (memory_id, q, reviews, passes)
where s.project_id = $1 and s.memory_id = sent.memory_id
