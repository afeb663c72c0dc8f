-- The next statement that builds the index on the order of credits, to be run outside of a transaction. Null at the end.
select next_credit_index() from set_config('lock_timeout', '100ms', true)
