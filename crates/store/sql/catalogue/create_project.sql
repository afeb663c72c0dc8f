-- Makes a project unless somebody just did.
insert into project (slug) values ($1)
on conflict (slug) where deleted_at is null do nothing
returning project_id
