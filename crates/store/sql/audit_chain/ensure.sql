-- Starts the chain of a project, if it has none.
insert into audit_chain (chain) values ($1) on conflict do nothing
