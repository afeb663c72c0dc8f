-- Checks the vectors of one more partition, so that it can be attached without a scan. Null at the end.
select next_vector_check() from set_config('lock_timeout', '100ms', true)
