-- Uses the bootstrap token. There is one row, so it can be used once, and not at all after an operator has created a
-- master key.
insert into bootstrap (key_id)
select $1 where not exists (select from api_key where project_id is null and revoked_at is null)
on conflict do nothing
returning true
