-- Removes a batch of a deleted project's rows; repeated until none is left.
delete from lesson_question where project_id = $1 and question_id in (select question_id from lesson_question where project_id = $1 limit 1000)
