-- Sessions and links that have been of no use for a month.
with links as (delete from sign_in_link where expires_at < now() - interval '30 days')
delete from session where expires_at < now() - interval '30 days'
