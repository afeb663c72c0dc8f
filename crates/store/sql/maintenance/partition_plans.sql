-- How many seconds each time-partitioned table keeps its rows, including the width of one partition.
select parent, extract(epoch from keep + width)::float8 from partition_plan order by parent
