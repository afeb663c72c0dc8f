-- Shows an open question again that `questions.sql` hides, because a side is retired or erased or both are in one lesson: it gets
-- the situations in which the contradiction was noticed now. A question that is shown is not locked.
update lesson_question q set first_memory = $4, second_memory = $5, similarity = $6
where q.project_id = $1 and q.first_lesson = $2 and q.second_lesson = $3
  and (q.answer is null
       or exists (select from action a where a.project_id = $1 and a.action_id = q.action_id and a.undone_at is not null))
  and not exists (
    select from memory_stat one
    join memory_stat other on other.project_id = $1 and other.memory_id = q.second_memory and other.status not in (2, 3)
    where one.project_id = $1 and one.memory_id = q.first_memory and one.status not in (2, 3)
      and coalesce(one.lesson_id, one.memory_id) <> coalesce(other.lesson_id, other.memory_id))
