-- Removes sessions and links that ended a month ago.
with links as (delete from sign_in_link where expires_at < now() - interval '30 days')
delete from session where expires_at < now() - interval '30 days'
