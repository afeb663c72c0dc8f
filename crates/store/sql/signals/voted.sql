-- The signal that has the vote of a feedback token, how often the vote changed, and whether the key that issued the token was revoked.
select (select signal_id from signal where project_id = $1 and once = $2) as signal_id,
       coalesce((select changes from signal where project_id = $1 and once = $2), 0::smallint) as changes,
       exists (select from api_key where key_id = $3 and revoked_at is not null) as is_revoked
