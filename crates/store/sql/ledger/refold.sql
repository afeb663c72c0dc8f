-- Writes utilities and credits after a new fold of the ledger.
update memory_stat s
set q = sent.q, reviews = sent.reviews, passes = sent.passes, credit = sent.credit, evidence = sent.evidence
from unnest($2::uuid[], $3::real[], $4::int[], $5::int[], $6::real[], $7::int[])
  as sent (memory_id, q, reviews, passes, credit, evidence)
where s.project_id = $1 and s.memory_id = sent.memory_id
