-- Removes sessions and links that ended a month ago, and the ID tokens of sessions that have ended.
with links as (delete from sign_in_link where expires_at < now() - interval '30 days'),
     tokens as (update session set id_token = null
                where id_token is not null and expires_at between now() - interval '30 days' and now())
delete from session where expires_at < now() - interval '30 days'
