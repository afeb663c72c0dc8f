-- Lets a user who is no superuser take the role that it made. Refused where somebody else made the
-- role; the server then works as the user it has.
do $$
begin
  -- Whoever makes a role may hand it out, but from Postgres 16 on does not have it by that.
  if not pg_has_role(current_user, 'reflect_app', case when current_setting('server_version_num')::int >= 160000
                                                       then 'set' else 'member' end) then
    execute format('grant reflect_app to %I', current_user);
  end if;
exception when insufficient_privilege or unique_violation then
  null;
end $$
