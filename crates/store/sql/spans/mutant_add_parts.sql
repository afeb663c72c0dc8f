-- A deliberate defect of fault runs: stores spans without their own ids, so that one that arrives again is there twice.
with ignored as (select $3::uuid[]), added as (
  insert into otlp_part (project_id, otlp_id, part_id, codec, length, digest, content)
  select $1, ($2::uuid[])[i], gen_random_uuid(), ($4::smallint[])[i], ($5::int[])[i], ($6::bytea[])[i], ($7::bytea[])[i]
  from generate_subscripts($2::uuid[], 1) as i
  returning otlp_id, length
)
select count(*) from added
