-- Records who did what, in the transaction that did it.
insert into audit_entry (project_id, audit_id, actor, action, target, request_id)
values ($1, $2, $3, $4, $5, $6)
