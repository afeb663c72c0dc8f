-- Lets one process at a time build the indexes of terms. The lock ends with the connection.
select pg_try_advisory_lock(hashtext('reflect.term_indexes'))
