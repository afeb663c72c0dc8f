-- Whether this server accepts writes: not if it is a standby, or if it is set to read-only.
select not current_setting('transaction_read_only')::bool
