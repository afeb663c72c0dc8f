-- Writes the lessons ($3) of situations ($2), and what they advise ($4) if that is given.
update memory_stat s set lesson_id = sent.lesson_id, advice = coalesce(sent.advice, s.advice)
from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as sent (memory_id, lesson_id, advice)
where s.project_id = $1 and s.memory_id = sent.memory_id
