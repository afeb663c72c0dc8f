-- Stores a question about two lessons that contradict each other. Each pair has one question.
insert into lesson_question (project_id, question_id, first_lesson, second_lesson, first_memory, second_memory, similarity)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
