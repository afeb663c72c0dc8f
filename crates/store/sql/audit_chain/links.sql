-- A page of a chain after a sequence number, with the entries. The columns of an entry are null if it is not there.
select l.sequence, l.entry_hash, l.hash, l.audit_id,
       e.actor, e.action, e.target, e.request_id, e.address, e.detail::text as detail, e.created_at
from audit_link l
left join audit_entry e on e.project_id = l.chain and e.audit_id = l.audit_id
where l.chain = $1 and l.sequence > $2 order by l.sequence limit $3
