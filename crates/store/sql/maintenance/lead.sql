-- One process at a time does maintenance. The lock ends with the connection.
select pg_try_advisory_lock(hashtext('reflect.maintenance'))
