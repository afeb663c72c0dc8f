-- Writes utilities and credits after a new fold of the ledger. Null leaves a credit unchanged.
update memory_stat s
set q = sent.q, reviews = sent.reviews, passes = sent.passes, credit = coalesce(sent.credit, s.credit),
    evidence = coalesce(sent.evidence, s.evidence), refolds = coalesce(s.refolds, 0) + 1
from unnest($2::uuid[], $3::real[], $4::int[], $5::int[], $6::real[], $7::int[])
  as sent (memory_id, q, reviews, passes, credit, evidence)
where s.project_id = $1 and s.memory_id = sent.memory_id
