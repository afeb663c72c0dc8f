-- Held while the first member is made, so that two people cannot both be the first.
select pg_advisory_xact_lock(hashtextextended('reflect first member', 0))::text
