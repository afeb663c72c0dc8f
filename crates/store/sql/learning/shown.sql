-- The memories that a reviewed run was shown, as far as the ledger knows them.
select m.memory_id, m.task, m.reflection from utility_event e
join memory m on m.project_id = e.project_id and m.memory_id = e.memory_id
where e.project_id = $1 and e.review_id = $2
order by e.seq
