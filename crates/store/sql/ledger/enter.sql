-- Enters reviews into the ledger: one row for each memory of the run, even if it is named twice. Unknown ids and ids of
-- other projects match no row of `known`.
--
-- The memories are locked first and in one order. The positions of a memory are then the order in which its utility moved,
-- and two reviews cannot deadlock. An entry that exists already leaves a gap. A memory without a count continues after its
-- last entry.
with known as (
  select s.memory_id, s.q, s.reviews, s.passes,
         coalesce(s.entered, (select max(e.seq) from utility_event e where e.project_id = $1 and e.memory_id = s.memory_id),
                  0) as entered
  from memory_stat s
  where s.project_id = $1 and s.memory_id = any($3::uuid[])
  order by s.memory_id
  for update
), entered as (
  insert into utility_event (project_id, review_id, memory_id, seq, reward, alpha, annealed, voter)
  select $1, sent.review_id, sent.memory_id,
         known.entered + row_number() over (partition by sent.memory_id order by sent.place),
         sent.reward, sent.alpha, sent.annealed, sent.voter
  from unnest($2::uuid[], $3::uuid[], $4::real[], $5::real[], $6::boolean[], $7::uuid[])
    with ordinality as sent (review_id, memory_id, reward, alpha, annealed, voter, place)
  join known on known.memory_id = sent.memory_id
  on conflict do nothing
  returning seq, memory_id, reward, alpha
)
select entered.memory_id, entered.seq, entered.reward, entered.alpha, known.q, known.reviews, known.passes
from entered join known on known.memory_id = entered.memory_id
order by entered.memory_id, entered.seq
