-- The applied migrations.
select version, checksum from _sqlx_migrations where success order by version
