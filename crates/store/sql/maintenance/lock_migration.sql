-- One process at a time migrates the database; the others try again and find nothing left to do. The lock ends with the
-- connection. The migrations have their own lock, but the extension and the role come before them. A process that waited inside
-- this statement would hold a snapshot, and an index that is built concurrently waits for all snapshots.
select pg_try_advisory_lock(hashtext('reflect.migrate'))
