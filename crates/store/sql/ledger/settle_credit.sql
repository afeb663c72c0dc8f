-- Completes the entries of a review and writes the credits that follow.
with sent as (
  select * from unnest($4::uuid[], $5::boolean[], $6::int[], $7::real[], $8::int[])
    as sent (memory_id, used, credited, credit, evidence)
), entries as (
  update utility_event e set used = sent.used, expected = $3, credited = sent.credited,
                             used_by = case when sent.used is not null then $9::smallint end
  from sent where e.project_id = $1 and e.review_id = $2 and e.memory_id = sent.memory_id
)
update memory_stat s set credit = sent.credit, evidence = sent.evidence, credited = sent.credited
from sent where s.project_id = $1 and s.memory_id = sent.memory_id
