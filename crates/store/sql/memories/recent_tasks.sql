-- The last tasks that were queried, each once, newest first.
select a.retrieval_id, a.task
from (select r.retrieval_id, r.task, row_number() over (partition by r.task_digest order by r.retrieval_id desc) as nth
      from (select retrieval_id, task, task_digest from retrieval
            where project_id = $1 and task is not null
            order by retrieval_id desc
            limit 20 * $2::bigint) r) a
where a.nth = 1
order by a.retrieval_id desc
limit $2
