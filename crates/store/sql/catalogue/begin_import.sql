-- Creates a project for an import, unless the name is taken.
insert into project (slug, created_at, settings, read_space, write_spaces, space_thresholds, pinned, tag_key, import_pack)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (slug) where deleted_at is null do nothing
returning project_id
