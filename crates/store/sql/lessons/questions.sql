-- Questions, newest first: one ($2), or open or answered ones ($3) before a cursor ($4). An answer whose action was undone does
-- not count. Open ones are about two lessons; sides that are retired or erased leave nothing to decide.
with found as materialized (
  select q.question_id, q.similarity, q.created_at, q.first_memory, q.second_memory,
         one.lesson_id as first_group, one.credit as first_credit, one.evidence as first_evidence,
         other.lesson_id as second_group, other.credit as second_credit, other.evidence as second_evidence,
         case when a.undone_at is null then q.answer end as answer, case when a.undone_at is null then q.action_id end as action_id,
         case when a.undone_at is null then q.answered_by end as answered_by,
         case when a.undone_at is null then q.answered_at end as answered_at
  from lesson_question q
  join memory_stat one on one.project_id = $1 and one.memory_id = q.first_memory and one.status not in (2, 3)
  join memory_stat other on other.project_id = $1 and other.memory_id = q.second_memory and other.status not in (2, 3)
  left join action a on a.project_id = $1 and a.action_id = q.action_id
  where q.project_id = $1 and ($2::uuid is null or q.question_id = $2) and q.question_id < $4
    and ($3::boolean is null or $3 = (q.answer is null or a.undone_at is not null))
    and (not coalesce($3, false)
         or coalesce(one.lesson_id, one.memory_id) <> coalesce(other.lesson_id, other.memory_id))
  order by q.question_id desc
  limit $5
), spoken as materialized (
  select f.*, coalesce(lesson_speaker($1, f.first_group), f.first_memory) as first_speaker,
         coalesce(lesson_speaker($1, f.second_group), f.second_memory) as second_speaker
  from found f
)
select f.question_id, f.similarity, f.created_at, f.answer, f.action_id, f.answered_by, f.answered_at,
       coalesce(f.first_group, f.first_memory) as first_lesson, f.first_memory, m.task as first_task,
       t.reflection as first_reflection, m.source_trace as first_trace, f.first_credit, f.first_evidence,
       coalesce(f.second_group, f.second_memory) as second_lesson, f.second_memory, n.task as second_task,
       u.reflection as second_reflection, n.source_trace as second_trace, f.second_credit, f.second_evidence
from spoken f
join memory m on m.project_id = $1 and m.memory_id = f.first_memory
join memory t on t.project_id = $1 and t.memory_id = f.first_speaker
join memory n on n.project_id = $1 and n.memory_id = f.second_memory
join memory u on u.project_id = $1 and u.memory_id = f.second_speaker
order by f.question_id desc
