-- The table of transactions that store a row and queue nothing.
create table if not exists scale_probe (probe_id bigint generated always as identity primary key, content text not null)
