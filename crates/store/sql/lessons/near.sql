-- The active situations nearest to a task, and the nearest trusted one whose lesson gives the same advice ($5), among the nearest
-- 500 of the newest 2000 with that key. Without nearest ones ($4 is 0), as for the grouping of existing memories, only one that
-- is grouped. A lesson says what its speaker says: its founder, which is found by key, or another one. If the speaker was edited,
-- its key is that of all situations, and what protects it protects all of them. The nearest five have the text of their lesson.
-- Ranking bounds the value of untrusted sources, unless they are corroborated.
with question as materialized (
  select $3::real[]::halfvec as embedding
), nearest as materialized (
  select c.memory_id, c.distance from candidates($1, $2, $3, $4) c where $4::bigint > 0
), same as materialized (
  -- Nearest first, until one is found. Speakers are computed first: an index is not used with a function that row-level security
  -- does not know as safe. `not exists` would become a join that reads all edited memories of the project.
  select k.memory_id, k.distance
  from (select n.memory_id, n.distance,
               coalesce((select b.memory_id from memory_stat b
                         where b.project_id = $1 and b.memory_id = n.lesson_id and b.lesson_id = n.lesson_id
                           and b.status in (1, 4, 5) and b.trust <> 0),
                        lesson_speaker($1, n.lesson_id)) as speaker
        from (select v.memory_id, s.lesson_id, v.embedding <#> (select embedding from question) as distance
              from (select s.memory_id, s.lesson_id from memory_stat s
                    where s.project_id = $1 and s.advice = $5::uuid and s.advice is not null and s.status = 1 and s.trust <> 0
                      and (s.lesson_id is not null or $4::bigint > 0)
                    order by s.memory_id desc
                    limit 2000) s
              join memory_vector v on v.project_id = $1 and v.space_id = $2 and v.memory_id = s.memory_id
              order by 3, v.memory_id
              limit 500) n
        order by n.distance, n.memory_id
        offset 0) k
  where (select t.version = 1 or e.advice is not distinct from $5::uuid
         from memory t
         join memory_stat e on e.project_id = $1 and e.memory_id = t.memory_id
         where t.project_id = $1 and t.memory_id = k.speaker) is not false
  order by k.distance, k.memory_id
  limit 1
), found as materialized (
  select n.memory_id, (-n.distance)::real as similarity, s.lesson_id, s.q, s.credit, s.evidence, s.advice,
         s.trust = 0 as untrusted, s.author_key is not null and s.source_trace is not null as is_bounded,
         coalesce(s.absorbed, 0) as absorbed, s.pinned or m.origin = 4 or m.version > 1 as is_protected, m.lesson_digest,
         m.correct_action, m.model is not null as by_model,
         coalesce((select b.memory_id from memory_stat b
                   where b.project_id = $1 and b.memory_id = s.lesson_id and b.lesson_id = s.lesson_id
                     and b.status in (1, 4, 5) and b.trust <> 0),
                  lesson_speaker($1, s.lesson_id), s.memory_id) as speaker,
         row_number() over (order by n.distance, n.memory_id) as place
  from (select memory_id, distance from nearest
        union all
        select memory_id, distance from same where memory_id not in (select memory_id from nearest)) n
  join memory_stat s on s.project_id = $1 and s.memory_id = n.memory_id and s.status = 1
  join memory m on m.project_id = $1 and m.memory_id = n.memory_id
)
select f.memory_id, f.lesson_id, coalesce(f.lesson_id, f.lesson_digest, f.memory_id) as lesson_key, f.similarity, f.q,
       f.credit, f.evidence, case when t.version > 1 then e.advice else f.advice end as advice, f.untrusted, f.is_bounded,
       f.absorbed, f.is_protected or e.pinned or t.origin = 4 or t.version > 1 as is_protected,
       case when t.version > 1 then t.correct_action else f.correct_action end as correct_action,
       f.by_model and t.version = 1 as by_model, case when f.place <= 5 then t.reflection else '' end as reflection
from found f
join memory t on t.project_id = $1 and t.memory_id = f.speaker
join memory_stat e on e.project_id = $1 and e.memory_id = f.speaker
order by f.place
