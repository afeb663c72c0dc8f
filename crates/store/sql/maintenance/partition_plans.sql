-- For how many seconds each table that is split by time keeps its rows, the width of a partition included.
select parent, extract(epoch from keep + width)::float8 from partition_plan order by parent
