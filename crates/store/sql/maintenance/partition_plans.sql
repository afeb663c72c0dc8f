-- How many seconds each time-partitioned table keeps its rows, including the width of one partition.
select p.parent, extract(epoch from case when f.parent is null then p.keep else f.keep end + p.width)::float8
from partition_plan p left join partition_plan f on f.parent = p.follows
order by p.parent
