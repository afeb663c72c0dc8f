-- Records who did what, from where, in the transaction that did it.
insert into audit_entry (project_id, audit_id, actor, action, target, request_id, address, detail)
values ($1, $2, $3, $4, $5, $6, $7, $8)
