-- Which migrations this database has had.
select version, checksum from _sqlx_migrations where success order by version
