-- Stores what spans say about their runs, and counts it. A span that is there already is skipped.
with added as (
  insert into otlp_part (project_id, otlp_id, part_id, codec, length, digest, content)
  select $1, ($2::uuid[])[i], ($3::uuid[])[i], ($4::smallint[])[i], ($5::int[])[i], ($6::bytea[])[i], ($7::bytea[])[i]
  from generate_subscripts($2::uuid[], 1) as i
  on conflict (project_id, otlp_id, part_id) do nothing
  returning otlp_id, length
), sums as (
  select otlp_id, count(*)::int as parts, sum(length) as bytes from added group by otlp_id
), counted as (
  update otlp_run r set parts = r.parts + s.parts, bytes = r.bytes + s.bytes
  from sums s where r.project_id = $1 and r.otlp_id = any($2::uuid[]) and r.otlp_id = s.otlp_id
)
select count(*) from added
