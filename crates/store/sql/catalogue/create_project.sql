-- Creates a project, unless another process created it in the meantime.
insert into project (slug) values ($1)
on conflict (slug) where deleted_at is null do nothing
returning project_id
