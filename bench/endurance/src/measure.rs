//! Measures an installation: its processes, its sessions and its tables.

use anyhow::Context;
use reflect_bench_ingest::memory::process_kilobytes;
use sqlx::{AssertSqlSafe, Connection, FromRow, PgConnection};

use crate::figures::{Kind, Reading};
use crate::installation::Installation;

/// Tables that keep their rows by design. Their sizes may grow with these rows.
const KEPT: [&str; 18] = [
    "review",
    "memory",
    "memory_stat",
    "memory_vector",
    "parked_vector",
    "utility_event",
    "fold_checkpoint",
    "memory_corroboration",
    "action",
    "memory_change",
    "memory_version",
    "version_vector",
    "lesson_question",
    "spending",
    "space_change",
    "api_key",
    "skill",
    "erasure",
];

/// Every table with its partitions: sizes, and rows that wait for vacuum.
const TABLES: &str = "select r.relname::text as name, sum(pg_table_size(l.oid))::float8 as size, \
       sum(pg_indexes_size(l.oid))::float8 as index_size, sum(pg_stat_get_dead_tuples(l.oid))::float8 as dead \
     from pg_class r \
     cross join lateral (select r.oid union all select t.relid from pg_partition_tree(r.oid) t where t.isleaf) l \
     where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and not r.relispartition \
     group by r.relname";
/// The system tables of this database. Partitions that come and go leave rows there.
const CATALOGUE: &str = "select sum(pg_total_relation_size(oid))::float8 from pg_class \
     where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared";
/// The sessions of servers and workers.
const SESSIONS: &str = "select pid from pg_stat_activity \
     where datname = current_database() and application_name = 'reflect'";

#[derive(Debug, FromRow)]
struct Table {
    name: String,
    size: f64,
    index_size: f64,
    dead: f64,
}

/// All figures of one day.
pub(crate) async fn measure(installation: &Installation) -> anyhow::Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for process in &installation.processes {
        let (name, id) = (process.name, process.id());
        let memory = process_kilobytes(id, "VmRSS")? as f64 * 1024.0;
        let descriptors = std::fs::read_dir(format!("/proc/{id}/fd"))?.count() as f64;
        readings.push(Reading::flat(format!("{name}: memory"), Kind::Memory, memory));
        readings.push(Reading::flat(format!("{name}: file descriptors"), Kind::Handles, descriptors));
    }
    let mut owner = PgConnection::connect(&installation.database_url).await?;
    readings.extend(sessions(&mut owner).await?);
    let partitions: i64 =
        sqlx::query_scalar("select count(*) from time_partition").fetch_one(&mut owner).await?;
    readings.push(Reading::flat("partitions", Kind::Partitions, partitions as f64));
    let catalogue: f64 = sqlx::query_scalar(CATALOGUE).fetch_one(&mut owner).await?;
    readings.push(Reading::flat("catalogue: size", Kind::Size, catalogue));
    let tables: Vec<Table> = sqlx::query_as(TABLES).fetch_all(&mut owner).await?;
    for table in tables {
        let rows = rows(&mut owner, &table.name).await?;
        readings.extend(of_table(&table, rows));
    }
    owner.close().await?;
    Ok(readings)
}

/// Connections, and the memory of the processes behind them: what a session keeps grows as long as it lives.
async fn sessions(owner: &mut PgConnection) -> anyhow::Result<[Reading; 2]> {
    let sessions: Vec<i32> = sqlx::query_scalar(SESSIONS).fetch_all(owner).await?;
    let (mut memory, mut alive) = (0, 0_u32);
    for session in &sessions {
        // A session may have ended in the meantime.
        if let Ok(kilobytes) = process_kilobytes(u32::try_from(*session)?, "RssAnon") {
            (memory, alive) = (memory + kilobytes, alive + 1);
        }
    }
    let memory = memory as f64 * 1024.0;
    Ok([
        Reading::flat("connections", Kind::Handles, sessions.len() as f64),
        Reading::per("connections: memory of one", Kind::Memory, memory, f64::from(alive)),
    ])
}

async fn rows(owner: &mut PgConnection, table: &str) -> anyhow::Result<f64> {
    let count = AssertSqlSafe(format!("select count(*) from \"{table}\""));
    let count: i64 = sqlx::query_scalar(count).fetch_one(owner).await.with_context(|| table.to_owned())?;
    Ok(count as f64)
}

fn of_table(table: &Table, rows: f64) -> Vec<Reading> {
    let Table { name, size, index_size, dead } = table;
    let is_kept = KEPT.contains(&name.as_str());
    let reading = |what: &str, kind, value: f64| {
        let name = format!("{name}: {what}");
        if is_kept { Reading::per(name, kind, value, rows) } else { Reading::flat(name, kind, value) }
    };
    let mut readings = vec![
        reading("size", Kind::Size, *size),
        reading("size of indexes", Kind::Size, *index_size),
        reading("dead rows", Kind::DeadRows, *dead),
    ];
    if !is_kept {
        readings.push(reading("rows", Kind::Rows, rows));
    }
    readings
}

#[cfg(test)]
mod tests {
    use reflect_store::TABLES;

    use super::*;

    #[test]
    fn tables_that_keep_their_rows_exist() {
        for kept in KEPT {
            assert!(TABLES.iter().any(|table| table.name == kept), "{kept}");
        }
    }

    #[test]
    fn rows_of_other_tables_must_not_grow() {
        let table = |name: &str| Table { name: name.to_owned(), size: 8.0, index_size: 8.0, dead: 0.0 };
        let names =
            |name: &str| of_table(&table(name), 2.0).into_iter().map(|reading| reading.name).collect();
        let (trace, memory): (Vec<String>, Vec<String>) = (names("trace"), names("memory"));
        assert!(trace.contains(&"trace: rows".to_owned()));
        assert!(!memory.contains(&"memory: rows".to_owned()));
    }
}
