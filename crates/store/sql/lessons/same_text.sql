-- The oldest active and trusted situation with each of these texts whose lesson shows that text. Digests and speakers are computed
-- first (`offset 0` keeps it so): an index is not used with a function that row-level security does not know as safe.
with given as materialized (
  select sent.key, lesson_digest(sent.text) as digest from unnest($2::uuid[], $3::text[]) as sent (key, text)
)
select given.key, found.memory_id
from given
cross join lateral (
  select same.memory_id
  from (select m.memory_id, s.lesson_id, lesson_speaker($1, s.lesson_id) as speaker
        from memory m
        join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id and s.status = 1 and s.trust <> 0
        where m.project_id = $1 and m.lesson_digest = given.digest
        order by m.memory_id
        offset 0) same
  where same.lesson_id is null
     or exists (select from memory t
                where t.project_id = $1 and t.memory_id = same.speaker and t.lesson_digest = given.digest)
  order by same.memory_id
  limit 1
) found
