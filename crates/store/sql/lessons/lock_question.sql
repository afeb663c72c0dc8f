-- Locks a question until the transaction ends.
select from lesson_question q where q.project_id = $1 and q.question_id = $2 for update
