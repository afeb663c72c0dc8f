-- Version and rights of the database server.
select current_setting('server_version_num')::int as version,
       current_setting('server_version') as version_text,
       (select extversion from pg_extension where extname = 'vector') as vector,
       (select default_version from pg_available_extensions where name = 'vector') as vector_available,
       -- Also true on a standby.
       current_setting('transaction_read_only')::bool as read_only,
       current_user::text as user_name,
       r.rolsuper or r.rolbypassrls as unrestricted,
       coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create_tables,
       r.rolsuper or r.rolcreaterole as may_create_roles,
       -- From Postgres 16 on, a member of a role may still lack the right to act as it.
       coalesce((select pg_has_role(current_user, a.oid, case when current_setting('server_version_num')::int >= 160000
                                                              then 'set' else 'member' end)
                 from pg_roles a where a.rolname = 'reflect_app'), false) as may_restrict
from pg_roles r where r.rolname = current_user
