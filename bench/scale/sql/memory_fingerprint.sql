-- The number of memories of a project up to $2, and a digest of their ids, utilities and credits.
select count(*), md5(string_agg(format('%s %s %s %s %s %s', memory_id, q, credit, evidence, reviews, passes), ','
                                order by memory_id))
from memory_stat where project_id = $1 and memory_id <= $2
