-- Creates a project for an import, unless the name is taken. A pack without a tag key gets a new one.
insert into project (slug, created_at, settings, read_space, write_spaces, space_thresholds, pinned, tag_key, import_pack)
values ($1, $2, $3, $4, $5, $6, $7,
        coalesce($8, uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), $9)
on conflict (slug) where deleted_at is null do nothing
returning project_id
