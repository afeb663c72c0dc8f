-- Lets a user who is no superuser take the role that it made. Refused where somebody else made the
-- role; the server then works as the user it has.
do $$
begin
  if not pg_has_role(current_user, 'reflect_app', 'member') then
    execute format('grant reflect_app to %I', current_user);
  end if;
exception when insufficient_privilege or unique_violation then
  null;
end $$
