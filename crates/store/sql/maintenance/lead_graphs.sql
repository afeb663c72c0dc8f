-- Lets one process at a time work on graphs. The lock ends with the connection.
select pg_try_advisory_lock(hashtext('reflect.graphs'))
