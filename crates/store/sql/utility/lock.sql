-- Holds the memories that a review moved, in the order in which everybody does.
select s.memory_id from memory_stat s
where s.project_id = $1
  and s.memory_id in (select e.memory_id from utility_event e where e.project_id = $1 and e.review_id = $2)
order by s.memory_id
for update
