-- Uses the setup link of a new installation, while there is no member.
update sign_in_link set used_at = now()
where digest = $1 and member_id is null and used_at is null and expires_at > now()
  and not exists (select from member)
returning true
