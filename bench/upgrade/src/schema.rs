//! Compares two databases: schema, validity of indexes, and rows.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::postgres::Postgres;

/// Tables whose rows contain the time of the migration.
const VOLATILE: [&str; 4] = ["_sqlx_migrations", "maintenance_step", "job", "time_partition"];
/// How many differences are named.
const SHOWN: usize = 5;

/// What differs, one sentence each.
pub(crate) async fn differences(postgres: &Postgres, one: &str, other: &str) -> anyhow::Result<Vec<String>> {
    let (first, second) = (entries(postgres, one).await?, entries(postgres, other).await?);
    let mut found: Vec<String> = first
        .symmetric_difference(&second)
        .map(|entry| {
            format!(
                "only one of them has: {}",
                entry.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    let (first, second) = (rows(postgres, one).await?, rows(postgres, other).await?);
    let tables: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    found.extend(
        tables
            .into_iter()
            .filter(|table| first.get(*table) != second.get(*table))
            .map(|table| format!("rows of {table}: {:?} and {:?}", first.get(table), second.get(table))),
    );
    found.truncate(SHOWN);
    Ok(found)
}

/// The entries of the schema's dump, and indexes that are not valid.
async fn entries(postgres: &Postgres, database: &str) -> anyhow::Result<BTreeSet<String>> {
    let dump = postgres.dump(&postgres.url(database), &["--schema-only", "--restrict-key=upgrade"]).await?;
    let mut entries: BTreeSet<String> = dump.split("\n--\n-- Name: ").map(str::to_owned).collect();
    let mut connection = PgConnection::connect(&postgres.url(database)).await?;
    let invalid: Vec<String> = sqlx::query_scalar(
        "select 'invalid index ' || indexrelid::regclass from pg_index where not indisvalid",
    )
    .fetch_all(&mut connection)
    .await?;
    entries.extend(invalid);
    Ok(entries)
}

/// The number of rows of each table, and a digest of them.
async fn rows(postgres: &Postgres, database: &str) -> anyhow::Result<BTreeMap<String, (i64, String)>> {
    let mut connection = PgConnection::connect(&postgres.url(database)).await?;
    let tables: Vec<String> = sqlx::query_scalar(
        "select oid::regclass::text from pg_class where relkind in ('r', 'p') and not relispartition \
         and relnamespace in (select oid from pg_namespace where nspname in ('public', 'reflect_jobs'))",
    )
    .fetch_all(&mut connection)
    .await?;
    let mut found = BTreeMap::new();
    for table in tables.into_iter().filter(|table| !VOLATILE.contains(&table.as_str())) {
        let digest = format!(
            "select count(*), coalesce(md5(string_agg(r::text, ' ' order by r::text)), '') from {table} r"
        );
        let row = sqlx::query_as(AssertSqlSafe(digest)).fetch_one(&mut connection).await?;
        found.insert(table, row);
    }
    Ok(found)
}
