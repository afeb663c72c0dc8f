-- Stores the answer to a question that is open: not answered, or its action was undone.
update lesson_question q set answer = $3, action_id = $4, answered_by = $5, answered_at = now()
where q.project_id = $1 and q.question_id = $2
  and (q.answer is null
       or exists (select from action a where a.project_id = $1 and a.action_id = q.action_id and a.undone_at is not null))
