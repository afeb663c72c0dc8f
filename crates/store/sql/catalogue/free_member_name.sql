-- The first of these names that no member has.
select wanted.name from unnest($1::text[]) with ordinality as wanted (name, position)
where not exists (select from member m where lower(m.name) = lower(wanted.name))
order by wanted.position limit 1
