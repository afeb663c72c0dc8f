-- Locks the memories that a review moved and the one that it created, in the common lock order to prevent deadlocks.
select s.memory_id from memory_stat s
where s.project_id = $1
  and s.memory_id in (
    select e.memory_id from utility_event e where e.project_id = $1 and e.review_id = $2
    union all
    select m.memory_id from memory m where m.project_id = $1 and m.source_review = $2)
order by s.memory_id
for update
