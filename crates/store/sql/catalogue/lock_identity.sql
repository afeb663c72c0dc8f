-- Locks one identity while it signs in, because its first sign-in creates one member.
select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))::text
