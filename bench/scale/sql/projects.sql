-- Many projects without content. Returns the number of the first; the others follow it.
with made as (
  insert into project (slug) select 'scale-' || n from generate_series(1, $1::int) n order by n
  returning project_id
)
select min(project_id) from made
