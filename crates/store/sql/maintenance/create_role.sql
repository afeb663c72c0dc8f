-- Creates the role of the server. Roles belong to the whole cluster, so another database or a concurrent migration may
-- have created it.
do $$
begin
  create role reflect_app nologin nosuperuser nobypassrls nocreatedb nocreaterole;
exception when duplicate_object or unique_violation then
  null;
end $$
