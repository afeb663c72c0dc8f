-- What the server's role may do: work with rows through the parent tables. It gets nothing on the
-- partitions themselves, which are not under row-level security, and cannot change the audit log.
do $$
declare
  place text := current_schema();
begin
  execute format('grant usage on schema %I to reflect_app', place);
  grant select, insert, update, delete on
    project, api_key, bootstrap, embedding_space,
    trace, trace_body, trace_state, review,
    memory, memory_stat, utility_event, memory_vector,
    idempotency, retrieval, draft, spending, skill, client_report,
    action, parked_vector,
    queue_entry,
    memory_change, memory_version, version_vector,
    judgement,
    space_change,
    erasure,
    memory_corroboration,
    member, sign_in_link, session
  to reflect_app;
  grant select, insert on audit_entry to reflect_app;
  grant select on installation, partition_plan, time_partition to reflect_app;
exception when undefined_object then
  null; -- no such role: the server works as the owner, who is under row-level security too
end $$
