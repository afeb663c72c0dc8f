-- Entries read from the indexes of vectors, and how many of them needed a visit to the table, since the statistics began.
select coalesce(sum(idx_tup_read), 0)::bigint as entries, coalesce(sum(idx_tup_fetch), 0)::bigint as fetches
from pg_stat_user_indexes where relname like 'memory\_vector\_h%'
