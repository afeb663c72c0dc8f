-- How `used` is known: 0 client 1 model 2 text.
alter table utility_event add used_by smallint;
