-- How many pages the vectors have, and how many of them an index-only scan need not visit.
select coalesce(sum(relpages), 0)::bigint, coalesce(sum(relallvisible), 0)::bigint
from pg_class where relkind = 'r' and relname like 'memory\_vector%'
