-- Puts the copied states into use. Waits 100 ms for the lock at most, because requests would wait behind it.
select finish_state_split() from set_config('lock_timeout', '100ms', true)
