-- Adds the primary key of vectors. Waits 100 ms for the lock at most, because requests would wait behind it.
select set_vector_key() from set_config('lock_timeout', '100ms', true)
