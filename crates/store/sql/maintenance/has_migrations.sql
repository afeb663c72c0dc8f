-- Whether this database was ever migrated.
select to_regclass('_sqlx_migrations') is not null
