-- One piece of work for each step of maintenance that SQL can prepare. All of it is in the last project, so a cursor over
-- projects comes to it at the end.
with last as (
  select max(project_id) as project_id from project where deleted_at is null
), deleted as (
  insert into project (slug, deleted_at) values ('scale-deleted', now() - interval '2 hours') returning project_id
), left_over as (
  insert into memory_stat (project_id, memory_id) select project_id, gen_random_uuid() from deleted
), short as (
  update project p set settings = p.settings || '{"retention": {"traces_days": 1}}' from last
  where p.project_id = last.project_id
), expired as (
  insert into trace (project_id, trace_id, task, messages, content_digest, body_codec, body_length, body_digest, key_id,
                     trust)
  select project_id, uuid_at(now() - interval '5 days'), 'scale expired', 0, sha256('scale'), 0, 0, sha256(''),
         gen_random_uuid(), 1
  from last
)
insert into idempotency (project_id, key, request_digest, created_at)
select project_id, 'scale-expired', sha256('scale'), now() - interval '30 days' from last
