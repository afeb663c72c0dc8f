-- Locks the keys of texts until the end of the transaction, in the given order. No two transactions then create a lesson with
-- the same text.
select pg_advisory_xact_lock(hashtextextended($1::int::text || ' ' || given.key::text, 3)) from unnest($2::uuid[]) as given (key)
