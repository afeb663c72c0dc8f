-- Grants the role to the user who created it. Refused if another user created the role; the server then works as its user.
do $$
begin
  -- The creator of a role may grant it, but since Postgres 16 is not a member of it.
  if not pg_has_role(current_user, 'reflect_app', case when current_setting('server_version_num')::int >= 160000
                                                       then 'set' else 'member' end) then
    execute format('grant reflect_app to %I', current_user);
  end if;
exception when insufficient_privilege or unique_violation then
  null;
end $$
