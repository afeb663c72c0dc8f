-- One process at a time migrates the database; the others wait and find nothing left to do. The lock ends with the
-- connection. The migrations have their own lock, but the extension and the role come before them.
select pg_advisory_lock(hashtext('reflect.migrate'))
