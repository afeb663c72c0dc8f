-- Runs that wait for a review and that this holder may get: the newest and the oldest, and how many there are. Reads a
-- limited number from either end, so a long queue costs no more; the filter is applied to each.
with ends as (
  (select s.trace_id from trace_state s
   where s.project_id = $1 and not s.reviewed and s.review_id is null and s.trace_id <> all($3::uuid[])
   order by s.trace_id desc limit $5)
  union
  (select s.trace_id from trace_state s
   where s.project_id = $1 and not s.reviewed and s.review_id is null and s.trace_id <> all($3::uuid[])
   order by s.trace_id limit $6)
), free as (
  select ends.trace_id, e.leased_until > now() as mine, e.deferred_by, e.deferred_note
  from ends left join queue_entry e on e.project_id = $1 and e.trace_id = ends.trace_id
  where coalesce(e.deferred_until, '-infinity') <= now()
    and (coalesce(e.leased_until, '-infinity') <= now() or ($4 and e.lease_holder = $2))
    and (($9::text is null and $10::jsonb = '{}' and $11::text is null) or exists (
      select from trace t
      where t.project_id = $1 and t.trace_id = ends.trace_id
        and ($9::text is null or t.model = $9)
        and ($11::text is null or strpos(lower(t.task), lower($11)) > 0)
        and not exists (select from jsonb_each($10::jsonb) f
                        where not coalesce(t.metadata -> f.key @> f.value, false))))
), placed as (
  select *, count(*) over () as waiting, row_number() over (order by trace_id desc) as from_newest,
         row_number() over (order by trace_id) as from_oldest, random() as lot
  from free
), pool as (
  select *, row_number() over (order by lot) as from_lot from placed
)
select p.trace_id, coalesce(p.mine, false) as mine, p.deferred_by, p.deferred_note, p.waiting,
       t.link, t.linked, t.body_length,
       -- Runs of the holdout do not show whether there are memories.
       (t.link = 0 or coalesce(r.served = 0, false)) and not coalesce(r.held_out, false)
         and t.arm is distinct from 0 as nothing_near,
       extract(epoch from now() - least(t.created_at, uuid_time(t.trace_id)))::float8 as age,
       j.verdict as judged, j.confidence
from pool p
join trace t on t.project_id = $1 and t.trace_id = p.trace_id
left join retrieval r on r.project_id = $1
  -- Not `coalesce`: with row security, an index cannot evaluate it.
  and r.retrieval_id = case when t.linked_retrieval is null then t.retrieval_id else t.linked_retrieval end
-- A blind judgement must stay hidden, so it does not affect the order either.
left join judgement j on j.project_id = $1 and j.trace_id = p.trace_id and not j.blind
where p.from_newest <= $7 or p.from_oldest <= $8 or p.from_lot <= $12 or p.mine
order by p.trace_id desc
