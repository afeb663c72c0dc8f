-- The situations of a lesson that are not erased, oldest first, without those that are merged into others of them: these follow.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.lesson_id = $2 and s.status <> 3
  and (s.presence <> 3
       or not exists (select from memory_stat a
                      where a.project_id = $1 and a.memory_id = s.merged_into and a.lesson_id = $2 and a.status <> 3))
order by s.memory_id
limit $3
