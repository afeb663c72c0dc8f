-- The lessons of the most useful active memories of one outcome, best first, each lesson once, with its text and the memory that
-- the text is from.
with best as materialized (
  select b.memory_id, b.q, b.reviews, coalesce(lesson_speaker($1, b.lesson_id), b.memory_id) as speaker
  from (select m.memory_id, s.lesson_id, s.q, s.reviews,
               row_number() over (partition by coalesce(s.lesson_id, m.lesson_digest, m.memory_id)
                                  order by s.q desc, s.reviews desc, m.memory_id desc) as nth
        from memory m join memory_stat s on s.project_id = m.project_id and s.memory_id = m.memory_id
        where m.project_id = $1 and m.success = $2 and s.status = 1) b
  where b.nth = 1
  order by b.q desc, b.reviews desc, b.memory_id desc
  limit $3
)
select m.memory_id, b.speaker, m.task, t.reflection, t.summary, t.guidance, t.key_mistake, t.correct_action
from best b
join memory m on m.project_id = $1 and m.memory_id = b.memory_id
join memory t on t.project_id = $1 and t.memory_id = b.speaker
order by b.q desc, b.reviews desc, b.memory_id desc
