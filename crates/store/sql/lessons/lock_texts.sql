-- Locks the keys of texts until the end of the transaction, in the given order. No two transactions then create a lesson with
-- the same text.
select pg_advisory_xact_lock(hashtextextended(own.project_id::text || ' ' || given.key::text, 3))
from (select $1::int as project_id) own, unnest($2::uuid[]) as given (key)
