-- Whether a key depends on another one: it was created with it, or with a key below it.
with recursive above as (
  select parent_key from api_key where key_id = $1
  union
  select k.parent_key from api_key k join above on k.key_id = above.parent_key
)
select exists (select from above where parent_key = $2)
