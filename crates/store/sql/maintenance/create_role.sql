-- The role that the server works under. Roles belong to the whole cluster, so another database, or
-- another migration at this moment, may have made it already.
do $$
begin
  create role reflect_app nologin nosuperuser nobypassrls nocreatedb nocreaterole;
exception when duplicate_object or unique_violation then
  null;
end $$
