-- Writes the current facets of memories. Null leaves a facet unchanged.
update memory_stat s
set presence = coalesce(sent.presence, s.presence),
    merged_into = case when sent.presence is null then s.merged_into else sent.merged_into end,
    quarantined = coalesce(sent.quarantined, s.quarantined),
    pinned = coalesce(sent.pinned, s.pinned)
from unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::boolean[], $6::boolean[])
  as sent (memory_id, presence, merged_into, quarantined, pinned)
where s.project_id = $1 and s.memory_id = sent.memory_id
