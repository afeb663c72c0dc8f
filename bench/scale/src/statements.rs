//! Every statement that knows the schema, and how it is called. A change of the schema that the benchmark has to follow is
//! a change of this file and of the folder `sql`; a test runs them against the migrated schema.

use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use uuid::Uuid;

/// The texts of memories, in the text format.
pub(crate) const COPY_MEMORIES: &str = include_str!("../sql/copy_memories.sql");
/// The vectors of memories, in the binary format.
pub(crate) const COPY_VECTORS: &str = include_str!("../sql/copy_vectors.sql");
/// One row, without a job.
pub(crate) const WRITE_PROBE: &str = include_str!("../sql/write_probe.sql");
/// Queues jobs. Parameters: projects and reviews.
pub(crate) const ENQUEUE: &str = include_str!("../sql/enqueue.sql");
/// The cheapest exact search. Parameters: project, space, query, limit.
pub(crate) const BARE_SCAN: &str = include_str!("../sql/bare_scan.sql");
/// The lock of a memory. Parameters: project and memory.
pub(crate) const LEDGER_LOCK: &str = include_str!("../sql/ledger_lock.sql");
/// The locks of a dump.
pub(crate) const DUMP_LOCKS: &str = include_str!("../sql/dump_locks.sql");
/// Lets one step of maintenance fail.
pub(crate) const OBSTACLE: &str = include_str!("../sql/obstacle.sql");

/// How many jobs one statement queues.
const JOBS_AT_ONCE: usize = 5_000;
/// How many runs one statement makes.
const RUNS_AT_ONCE: i64 = 200_000;
/// Tables that are read after they were filled.
const FILLED_TABLES: [&str; 3] = ["memory", "memory_stat", "memory_vector"];
/// Tables of the queue.
const QUEUE_TABLES: [&str; 2] = ["job", "job_worker"];
/// A vacuum marks no page while an older transaction is open, for example that of an autovacuum.
const VACUUMS: usize = 20;

/// A connection for seeding and for reading results.
pub(crate) async fn connect(database_url: &str) -> anyhow::Result<PgConnection> {
    connect_with(database_url, &[("synchronous_commit", "off")]).await
}

/// A connection with settings.
pub(crate) async fn connect_with(
    database_url: &str,
    settings: &[(&str, &str)],
) -> anyhow::Result<PgConnection> {
    let options: PgConnectOptions = database_url.parse()?;
    let options = options.application_name("scale").options(settings.iter().copied());
    Ok(PgConnection::connect_with(&options).await?)
}

/// Runs a statement that is built from constants and numbers.
pub(crate) async fn execute(
    connection: &mut PgConnection,
    statement: impl Into<String>,
) -> anyhow::Result<()> {
    connection.execute(AssertSqlSafe(statement.into())).await?;
    Ok(())
}

/// Makes projects without content. Returns the number of the first.
pub(crate) async fn make_projects(connection: &mut PgConnection, count: i32) -> anyhow::Result<i32> {
    let made = sqlx::query_scalar(include_str!("../sql/projects.sql")).bind(count);
    Ok(made.fetch_one(connection).await?)
}

/// Queues jobs that end at once, for one project after the other.
pub(crate) async fn queue_jobs(
    connection: &mut PgConnection,
    first_project: i32,
    projects: i32,
    jobs: usize,
) -> anyhow::Result<()> {
    let mut owners = (first_project..first_project + projects).cycle();
    let mut left = jobs;
    while left > 0 {
        let count = left.min(JOBS_AT_ONCE);
        let owners: Vec<i32> = owners.by_ref().take(count).collect();
        let reviews: Vec<Uuid> = owners.iter().map(|_| Uuid::now_v7()).collect();
        sqlx::query(ENQUEUE).bind(owners).bind(reviews).execute(&mut *connection).await?;
        left -= count;
    }
    for table in QUEUE_TABLES {
        execute(connection, format!("vacuum (analyze) {table}")).await?;
    }
    Ok(())
}

/// How many jobs wait or run.
pub(crate) async fn jobs_left(connection: &mut PgConnection) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar(include_str!("../sql/jobs_left.sql")).fetch_one(connection).await?)
}

/// Removes every job.
pub(crate) async fn clear_jobs(connection: &mut PgConnection) -> anyhow::Result<()> {
    execute(connection, include_str!("../sql/jobs_clear.sql")).await
}

/// Makes an embedding space that every project reads and writes. Returns its number.
pub(crate) async fn make_space(
    connection: &mut PgConnection,
    (provider, model, revision): (&str, &str, &str),
    dimensions: i32,
) -> anyhow::Result<i16> {
    let space: i16 = sqlx::query_scalar(include_str!("../sql/space.sql"))
        .bind(provider)
        .bind(model)
        .bind(revision)
        .bind(dimensions)
        .fetch_one(&mut *connection)
        .await?;
    sqlx::query(include_str!("../sql/adopt_space.sql")).bind(space).execute(connection).await?;
    Ok(space)
}

/// Completes copied memories, and marks every page of them as visible to all.
pub(crate) async fn finish_memories(connection: &mut PgConnection) -> anyhow::Result<()> {
    execute(connection, include_str!("../sql/memory_stats.sql")).await?;
    execute(connection, include_str!("../sql/build_term_indexes.sql")).await?;
    for _ in 0..VACUUMS {
        for table in FILLED_TABLES {
            execute(connection, format!("vacuum (analyze) {table}")).await?;
        }
        let visible = sqlx::query_as(include_str!("../sql/visible_pages.sql"));
        let (pages, visible): (i64, i64) = visible.fetch_one(&mut *connection).await?;
        if visible >= pages {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    // No dirty pages are written during the measurement.
    execute(connection, "checkpoint").await
}

/// How many rows scans of the covering index have fetched from the table so far.
pub(crate) async fn heap_fetches(connection: &mut PgConnection) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar(include_str!("../sql/heap_fetches.sql")).fetch_one(connection).await?)
}

/// The true nearest memories, among those with this value of `shop` if there is one.
pub(crate) async fn exact(
    connection: &mut PgConnection,
    (project, space): (i32, i16),
    query: &[f32],
    limit: i64,
    shop: Option<usize>,
) -> anyhow::Result<Vec<Uuid>> {
    let statement = match shop {
        None => sqlx::query_scalar(include_str!("../sql/exact.sql")),
        Some(_) => sqlx::query_scalar(include_str!("../sql/exact_filtered.sql")),
    };
    let mut statement = statement.bind(project).bind(space).bind(query).bind(limit);
    if let Some(shop) = shop {
        statement = statement.bind(metadata(shop));
    }
    Ok(statement.fetch_all(connection).await?)
}

/// Whether background work that changes how a project is served has finished.
pub(crate) async fn is_settled(connection: &mut PgConnection, project: i32) -> anyhow::Result<bool> {
    Ok(sqlx::query_scalar(include_str!("../sql/settled.sql")).bind(project).fetch_one(connection).await?)
}

/// The state of the graph of a project, if it has one.
pub(crate) async fn graph(connection: &mut PgConnection, project: i32) -> anyhow::Result<Option<String>> {
    Ok(sqlx::query_scalar(include_str!("../sql/graph.sql")).bind(project).fetch_optional(connection).await?)
}

/// Gives memories that were copied one of a hundred actions.
pub(crate) async fn make_actions(connection: &mut PgConnection, project: i32) -> anyhow::Result<()> {
    let actions = sqlx::query(include_str!("../sql/memory_actions.sql")).bind(project);
    actions.execute(&mut *connection).await?;
    execute(connection, "vacuum (analyze) memory").await?;
    execute(connection, "checkpoint").await
}

/// The number of memories up to one, and a digest of their ids, utilities and credits.
pub(crate) async fn fingerprint(
    connection: &mut PgConnection,
    project: i32,
    last: Uuid,
) -> anyhow::Result<(i64, Option<String>)> {
    let memories = sqlx::query_as(include_str!("../sql/memory_fingerprint.sql")).bind(project).bind(last);
    Ok(memories.fetch_one(connection).await?)
}

/// How many memories up to one have a lesson, and how many lessons that are.
pub(crate) async fn grouped(
    connection: &mut PgConnection,
    project: i32,
    last: Uuid,
) -> anyhow::Result<(i64, i64)> {
    let memories = sqlx::query_as(include_str!("../sql/grouped_memories.sql")).bind(project).bind(last);
    Ok(memories.fetch_one(connection).await?)
}

/// Removes the indexes of words and metadata. Filling tables with them takes several times as long.
pub(crate) async fn drop_term_indexes(connection: &mut PgConnection) -> anyhow::Result<()> {
    execute(connection, include_str!("../sql/drop_term_indexes.sql")).await
}

/// Gives a memory with one entry in the ledger many more.
pub(crate) async fn fill_ledger(
    connection: &mut PgConnection,
    project: i32,
    memory: Uuid,
    entries: i32,
) -> anyhow::Result<()> {
    /// The memory has one entry.
    const AFTER: i32 = 1;
    sqlx::query(include_str!("../sql/ledger_rows.sql"))
        .bind(project)
        .bind(memory)
        .bind(AFTER)
        .bind(entries)
        .execute(&mut *connection)
        .await?;
    let counted = sqlx::query(include_str!("../sql/ledger_count.sql")).bind(project).bind(memory);
    counted.bind(entries).execute(&mut *connection).await?;
    execute(connection, "vacuum (analyze) utility_event").await
}

/// Makes reviewed runs that are older than the retention of their project.
pub(crate) async fn make_expired_runs(
    connection: &mut PgConnection,
    project: i32,
    runs: i64,
) -> anyhow::Result<()> {
    let mut made = 0;
    while made < runs {
        let last = (made + RUNS_AT_ONCE).min(runs);
        let chunk = sqlx::query(include_str!("../sql/reviewed_runs.sql"));
        chunk.bind(project).bind(made + 1).bind(last).execute(&mut *connection).await?;
        made = last;
    }
    for table in ["trace", "trace_state", "review"] {
        execute(connection, format!("vacuum (analyze) {table}")).await?;
    }
    let short = sqlx::query(include_str!("../sql/short_retention.sql"));
    short.bind(project).execute(connection).await?;
    Ok(())
}

/// How many runs retention has emptied or deleted so far.
pub(crate) async fn retention_progress(connection: &mut PgConnection) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar(include_str!("../sql/retention_progress.sql")).fetch_one(connection).await?)
}

/// Whether retention has something left to do.
pub(crate) async fn has_expired_runs(connection: &mut PgConnection, project: i32) -> anyhow::Result<bool> {
    let left = sqlx::query_scalar(include_str!("../sql/expired_runs.sql")).bind(project);
    Ok(left.fetch_one(connection).await?)
}

/// Makes partitions that maintenance has to drop.
pub(crate) async fn make_expired_partitions(connection: &mut PgConnection) -> anyhow::Result<()> {
    execute(connection, include_str!("../sql/expired_partitions.sql")).await
}

/// Gives every step of maintenance something to do. The run has lost its job, the memory has no vector.
pub(crate) async fn prepare_maintenance(connection: &mut PgConnection, run: Uuid) -> anyhow::Result<()> {
    make_expired_partitions(connection).await?;
    execute(connection, include_str!("../sql/maintenance_work.sql")).await?;
    clear_jobs(connection).await?;
    let waits = sqlx::query(include_str!("../sql/maintenance_age.sql")).bind(run);
    waits.execute(connection).await?;
    Ok(())
}

/// The steps of maintenance, and whether each has done its work.
pub(crate) async fn maintenance_steps(
    connection: &mut PgConnection,
    run: Uuid,
    memory: Uuid,
) -> anyhow::Result<Vec<(String, bool)>> {
    let steps = sqlx::query_as(include_str!("../sql/maintenance_done.sql")).bind(run).bind(memory);
    Ok(steps.fetch_all(connection).await?)
}

/// Makes the table of transactions that queue nothing.
pub(crate) async fn make_probe_table(connection: &mut PgConnection) -> anyhow::Result<()> {
    execute(connection, include_str!("../sql/table_probe.sql")).await
}

/// The metadata of a copied memory. `shop` has a hundred values, so a filter by it keeps 1 %.
pub(crate) fn metadata(shop: usize) -> Value {
    json!({ "shop": shop })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queue of the store, which `enqueue.sql` has to fill in the same way.
    const OF_THE_STORE: &str = include_str!("../../../crates/store/sql/jobs/enqueue.sql");

    #[test]
    fn jobs_are_queued_like_the_store_does() {
        let into = "insert into job (project_id, kind, subject, failures, run_at, ready_at)";
        let conflict = "on conflict (project_id, kind, subject) do update";
        let (_, of_the_store) = OF_THE_STORE.split_once(conflict).unwrap();
        for part in [into, conflict, of_the_store] {
            assert!(OF_THE_STORE.contains(part), "the store no longer says {part}; nor should enqueue.sql");
            assert!(ENQUEUE.contains(part), "enqueue.sql does not say {part}");
        }
    }
}
