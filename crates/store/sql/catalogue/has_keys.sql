-- Whether there is any key, revoked or not.
select exists (select from api_key)
