-- Keeps the counters of a memory, marks it as erased and unpins it. What was computed from its text is removed.
with unpinned as (
  update project p set pinned = array(select id from unnest(p.pinned) as id where id <> all($2::uuid[]))
  where p.project_id = $1 and p.pinned && $2::uuid[]
)
update memory_stat set presence = 4, pinned = false, superseded_by = null, advice = null
where project_id = $1 and memory_id = any($2) and presence <> 4
