-- One process at a time brings the database up to date; the others wait, and find nothing left to do. The lock ends with
-- the connection. The migrations have a lock of their own, but the extension and the role come before them.
select pg_advisory_lock(hashtext('reflect.migrate'))
