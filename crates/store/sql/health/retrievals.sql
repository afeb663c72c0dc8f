-- Results of the newest retrievals of agents. Excludes those before the first memory, those of the holdout, and lookups of
-- members in the console. If nothing was similar enough, the nearest candidate comes first and its similarity is returned.
select count(*) as retrievals, count(*) filter (where served = 0) as empty,
       count(*) filter (where served = 0 and 5 = any(fates)) as without_room,
       count(*) filter (where served = 0 and degraded) as degraded,
       percentile_cont(0.5) within group (order by nearest) filter (where served = 0 and fates[1] = 1) as near_miss
from (select served, fates, degraded,
             -- Receipts of earlier releases have similarities instead of scores.
             coalesce(scores[1] / 32767.0, similarities[1])::real as nearest
      from retrieval
      where project_id = $1 and not held_out
        -- A lookup of a member has the id of the member instead of a key.
        and key_id not in (select member_id from member)
        and retrieval_id >= uuid_at(now() - make_interval(days => $2))
        and retrieval_id >= (select memory_id from memory where project_id = $1 order by memory_id limit 1)
      order by retrieval_id desc
      limit $3) recent
