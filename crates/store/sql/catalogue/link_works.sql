-- Whether a link would let somebody in, and whom, without spending it. No name: the first member of all.
select m.name, l.member_id is null as for_setup
from sign_in_link l left join member m on m.member_id = l.member_id
where l.digest = $1 and l.used_at is null and l.expires_at > now()
  and (m.disabled_at is null) and (l.member_id is not null or not exists (select from member))
