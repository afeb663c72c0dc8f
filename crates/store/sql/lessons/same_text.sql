-- The oldest active and trusted situation with each of these texts. The digests are computed first: an index is not used with a
-- function that row-level security does not know as safe.
with given as materialized (
  select sent.key, lesson_digest(sent.text) as digest from unnest($2::uuid[], $3::text[]) as sent (key, text)
)
select given.key, found.memory_id
from given
cross join lateral (
  select m.memory_id
  from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id and s.status = 1 and s.author_key is null
  where m.project_id = $1 and m.lesson_digest = given.digest
  order by m.memory_id
  limit 1
) found
