-- Stores receipts of one project. $8 counts the candidates of each receipt; $15, $16 and $17 hold the candidates of all
-- receipts, one receipt after the other. A receipt whose id is stored was written by a transaction whose end was not
-- reported. A project that was deleted meanwhile gets no rows. Neither does a retrieval that was made before an erasure was
-- requested: the erasure may have removed the receipts of its task.
insert into retrieval (project_id, retrieval_id, key_id, space_id, task, task_digest, parameters, served, degraded, held_out,
                       embed_us, search_us, created_at, memory_ids, scores, fates)
select $1, r.retrieval_id, r.key_id, r.space_id, r.task, r.task_digest, r.parameters, r.served, r.degraded, r.held_out,
       r.embed_us, r.search_us, r.created_at,
       ($15::uuid[])[r.until - r.candidates + 1 : r.until],
       ($16::smallint[])[2 * (r.until - r.candidates) + 1 : 2 * r.until],
       ($17::smallint[])[r.until - r.candidates + 1 : r.until]
from (select sent.*, (sum(sent.candidates) over (order by sent.place))::int as until
      from unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::text[], $6::bytea[], $7::jsonb[], $8::int[], $9::int[],
                  $10::boolean[], $11::boolean[], $12::int[], $13::int[], $14::timestamptz[])
             with ordinality
        as sent (retrieval_id, key_id, space_id, task, task_digest, parameters, candidates, served, degraded, held_out,
                 embed_us, search_us, created_at, place)) as r
where exists (select from project p where p.project_id = $1 and p.deleted_at is null)
  and coalesce(r.retrieval_id > (select e.erasure_id from erasure e
                                 where e.project_id = $1 order by e.erasure_id desc limit 1), true)
on conflict (project_id, retrieval_id) do nothing
