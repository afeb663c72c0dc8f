-- The most frequently served memory among the newest retrievals of agents. A memory that is no longer active is ignored, and so
-- are lookups of members in the console, which have the id of the member instead of a key.
with serving as materialized (
  select memory_ids[1:served] as memory_ids
  from (select retrieval_id, memory_ids, served from retrieval
        where project_id = $1 and not held_out and key_id not in (select member_id from member)
          and retrieval_id >= uuid_at(now() - make_interval(days => $2))
        order by retrieval_id desc
        limit $3) recent
  where served > 0
  order by retrieval_id desc
  limit $4
), most as (
  select times.memory_id, times.times
  from (select memory_id, count(*) as times from serving, unnest(serving.memory_ids) as memory_id group by memory_id) times
  join memory_stat s on s.project_id = $1 and s.memory_id = times.memory_id and s.status = 1
  order by times.times desc, times.memory_id
  limit 1
)
select (select count(*) from serving) as retrievals, (select memory_id from most) as memory_id,
       coalesce((select times from most), 0) as times
