-- The true nearest memories among those that match a filter. Run with index scans off.
select v.memory_id from memory_vector v join memory m on m.project_id = v.project_id and m.memory_id = v.memory_id
where v.project_id = $1 and v.space_id = $2 and m.project_id = $1 and m.metadata @> $5::jsonb
order by v.embedding <#> (select $3::real[]::halfvec), v.memory_id
limit $4
