-- Some vectors of a project, others at another time, as questions for a check. One in $3 is chosen.
select v.embedding::real[] from memory_vector v
where v.project_id = $1 and v.space_id = $2
  and mod(abs(hashtext(v.memory_id::text)::bigint), $3) = mod(extract(epoch from now())::bigint, $3)
limit $4
