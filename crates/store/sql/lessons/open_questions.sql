-- How many questions are open. Counting stops at a limit.
select count(*) from (
  select from lesson_question q
  join memory_stat one on one.project_id = $1 and one.memory_id = q.first_memory and one.status not in (2, 3)
  join memory_stat other on other.project_id = $1 and other.memory_id = q.second_memory and other.status not in (2, 3)
  left join action a on a.project_id = $1 and a.action_id = q.action_id
  where q.project_id = $1 and (q.answer is null or a.undone_at is not null)
    and coalesce(one.lesson_id, one.memory_id) <> coalesce(other.lesson_id, other.memory_id)
  limit 1000) counted
