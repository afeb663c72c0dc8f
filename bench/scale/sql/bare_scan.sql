-- The cheapest exact search: the covering index alone, in a kept plan.
select v.memory_id, v.embedding <#> (select $3::real[]::halfvec) as distance from memory_vector v
where v.project_id = $1 and v.space_id = $2
order by 2
limit $4
