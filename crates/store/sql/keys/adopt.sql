-- The new key takes the place of the rotated one: keys that were created with the old one now depend on the new one.
update api_key set parent_key = $3 where parent_key = $2 and key_id <> $3 and (project_id = $1 or $1 = 0)
