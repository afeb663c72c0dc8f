-- Locks the members while the first one is created, because only one caller may create the first.
select pg_advisory_xact_lock(hashtextextended('reflect first member', 0))::text
