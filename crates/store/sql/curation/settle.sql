-- Writes the current facets of memories. Null leaves a facet unchanged; `grouped` says whether the lesson is written. A memory that
-- was erased with its run stays erased. Returns the memories that are in quarantine now and were not, if the project sends events
-- about them.
with changed as (
  update memory_stat s
  set presence = coalesce(sent.presence, s.presence),
      merged_into = case when sent.presence is null then s.merged_into else sent.merged_into end,
      superseded_by = case when sent.presence is null then s.superseded_by else sent.superseded_by end,
      quarantined = coalesce(sent.quarantined, s.quarantined),
      pinned = coalesce(sent.pinned, s.pinned),
      lesson_id = case when sent.grouped then sent.lesson_id else s.lesson_id end
  from unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::boolean[], $6::boolean[], $7::uuid[], $8::boolean[], $9::uuid[])
    as sent (memory_id, presence, merged_into, quarantined, pinned, superseded_by, grouped, lesson_id)
  join memory_stat before on before.project_id = $1 and before.memory_id = sent.memory_id
  where s.project_id = $1 and s.memory_id = sent.memory_id and s.presence <> 4
  returning s.memory_id, s.quarantined and not before.quarantined and s.presence = 0 as enters
)
select memory_id from changed
where enters and (select webhook_types & 4 <> 0 from project where project_id = $1)
