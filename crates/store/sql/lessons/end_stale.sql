-- Marks as undone: absorptions by memories that are retired or erased, and supersessions by reviews that ended. The ids are read
-- first: an index is not used with a function that row-level security does not know as safe.
with named as materialized (
  select c.memory_id, c.seq, (c.after ->> 'absorbed')::uuid as absorber, (c.after ->> 'superseded')::uuid as review_id
  from memory_change c
  where c.project_id = $1 and c.memory_id = any($2) and c.facet = 0 and not c.undone
    and (c.after ? 'absorbed' or c.after ? 'superseded')
)
update memory_change c set undone = true
from named n
where c.project_id = $1 and c.memory_id = n.memory_id and c.seq = n.seq
  and (exists (select from memory_stat t
               where t.project_id = $1 and t.memory_id = n.absorber and (t.retired or t.presence = 4))
       or exists (select from review r
                  where r.project_id = $1 and r.review_id = n.review_id
                    and (r.superseded_by is not null or r.withdrawn_at is not null)))
