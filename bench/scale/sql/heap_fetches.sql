-- How many rows scans of the covering index have fetched from the table since statistics began.
select coalesce(sum(s.idx_tup_fetch), 0)::bigint
from pg_stat_user_indexes s join pg_class i on i.oid = s.indexrelid join pg_am a on a.oid = i.relam
where s.relname like 'memory\_vector%' and a.amname = 'btree'
