-- Notes that the provider gives an identity no role any more, unless an admin disabled its member before.
update member_identity i set removed_at = now()
from member m
where i.issuer = $1 and i.subject = $2 and m.member_id = i.member_id and m.disabled_at is null
returning i.member_id
