-- The oldest entries that wait for their link. `linked` marks those that have one: their entry was removed and inserted again.
-- The columns of the entry are null if it is not there.
select u.audit_id, e.actor, e.action, e.target, e.request_id, e.address, e.detail::text as detail, e.created_at,
       exists (select from audit_link l where l.chain = u.chain and l.audit_id = u.audit_id) as linked
from audit_unchained u
left join audit_entry e on e.project_id = u.chain and e.audit_id = u.audit_id
where u.chain = $1 order by u.audit_id limit $2
