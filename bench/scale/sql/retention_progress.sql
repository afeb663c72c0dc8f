-- How many rows of runs were emptied or deleted since statistics began.
select coalesce(sum(s.n_tup_upd + s.n_tup_del), 0)::bigint
from pg_stat_user_tables s join pg_inherits i on i.inhrelid = s.relid
where i.inhparent = 'trace'::regclass
