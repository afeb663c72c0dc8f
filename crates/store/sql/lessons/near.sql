-- The active situations nearest to a task, and the nearest trusted one with the same advice ($5), if that is among the newest 2000
-- of them. Without nearest ones ($4 is 0), as for the grouping of existing memories, only one that is grouped. The nearest five have
-- the text of their lesson. Ranking bounds the value of untrusted sources, unless they are corroborated.
with question as materialized (
  select $3::real[]::halfvec as embedding
), nearest as materialized (
  select c.memory_id, c.distance from candidates($1, $2, $3, $4) c where $4::bigint > 0
), same as materialized (
  select v.memory_id, v.embedding <#> (select embedding from question) as distance
  from (select s.memory_id from memory_stat s
        where s.project_id = $1 and s.advice = $5::uuid and s.advice is not null and s.status = 1 and s.trust <> 0
          and (s.lesson_id is not null or $4::bigint > 0)
        order by s.memory_id desc
        limit 2000) s
  join memory_vector v on v.project_id = $1 and v.space_id = $2 and v.memory_id = s.memory_id
  order by 2, v.memory_id
  limit 1
), found as materialized (
  select n.memory_id, (-n.distance)::real as similarity, s.lesson_id, s.q, s.credit, s.evidence, s.advice,
         s.trust = 0 as untrusted, s.author_key is not null and s.source_trace is not null as is_bounded,
         coalesce(s.absorbed, 0) as absorbed, s.pinned, m.lesson_digest, m.origin, m.version, m.success,
         row_number() over (order by n.distance, n.memory_id) as place
  from (select memory_id, distance from nearest
        union all
        select memory_id, distance from same where memory_id not in (select memory_id from nearest)) n
  join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status = 1
  join memory m on m.project_id = $1 and m.memory_id = n.memory_id
), spoken as materialized (
  select f.memory_id, coalesce(lesson_speaker($1, f.lesson_id), f.memory_id) as speaker from found f where f.place <= 5
)
select f.memory_id, f.lesson_id, coalesce(f.lesson_id, f.lesson_digest, f.memory_id) as lesson_key, f.similarity, f.q,
       f.credit, f.evidence, f.advice, f.untrusted, f.is_bounded, f.absorbed,
       f.pinned or f.origin = 4 or f.version > 1 as is_protected, coalesce(t.correct_action, '') as correct_action,
       coalesce(t.reflection, '') as reflection, f.success
from found f
left join (spoken p join memory t on t.project_id = $1 and t.memory_id = p.speaker) on p.memory_id = f.memory_id
order by f.place
