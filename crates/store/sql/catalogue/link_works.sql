-- Whether a link is valid, and for which member, without using it. Without a name it creates the first member.
select m.name, l.member_id is null as for_setup
from sign_in_link l left join member m on m.member_id = l.member_id
where l.digest = $1 and l.used_at is null and l.expires_at > now()
  and (m.disabled_at is null) and (l.member_id is not null or not exists (select from member))
