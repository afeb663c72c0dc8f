-- Changes some settings of a project and returns all. Settings of the judge that are absent stay unchanged too.
update project set settings = settings || $2
  || case when $2 ? 'judge' then
       jsonb_build_object('judge', coalesce(nullif(settings -> 'judge', 'null'), '{}') || ($2 -> 'judge'))
     else '{}' end
where project_id = $1 and deleted_at is null returning settings
