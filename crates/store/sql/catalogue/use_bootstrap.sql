-- Spends the bootstrap token. There is one row, so it can be spent once.
insert into bootstrap (key_id) values ($1) on conflict do nothing returning true
