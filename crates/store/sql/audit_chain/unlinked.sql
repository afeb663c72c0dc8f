-- Entries since a time that are neither linked nor waiting: inserted without the trigger, or removed from the chain.
select e.audit_id from audit_entry e
where e.project_id = $1 and e.audit_id >= uuid_at($2)
  and not exists (select from audit_link l where l.chain = e.project_id and l.audit_id = e.audit_id)
  and not exists (select from audit_unchained u where u.chain = e.project_id and u.audit_id = e.audit_id)
order by e.audit_id limit 100
