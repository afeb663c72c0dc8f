-- The situations that are merged into memories ($2), and those that a review ($3) superseded.
select s.memory_id from memory_stat s
where s.project_id = $1 and s.merged_into = any($2::uuid[]) and s.merged_into is not null and s.presence = 3
union
select s.memory_id from memory_stat s
where s.project_id = $1 and s.superseded_by = $3::uuid and s.superseded_by is not null
