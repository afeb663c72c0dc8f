-- The true nearest memories. Run with index scans off.
select v.memory_id from memory_vector v
where v.project_id = $1 and v.space_id = $2
order by v.embedding <#> (select $3::real[]::halfvec), v.memory_id
limit $4
