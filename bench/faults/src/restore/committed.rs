//! What was committed at a time, exactly: Postgres keeps the times of commits (`track_commit_timestamp`).

use anyhow::Context;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::Uuid;

/// Tables whose rows are inserted by the calls of clients and by learning, with the id in their key. Rows that changed later are
/// not compared: the time of their first commit is not known.
const TABLES: [(&str, &str); 5] = [
    ("trace", "trace_id"),
    ("trace_body", "trace_id"),
    ("review", "review_id"),
    ("memory", "memory_id"),
    ("utility_event", "review_id"),
];
/// The order of commits in the log and the order of their times differ by less than this.
const MARGIN: &str = "100 ms";
/// The settings of a cluster whose backups are compared.
pub(crate) const SETTINGS: [&str; 1] = ["track_commit_timestamp=on"];

/// Rows by their table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows(Vec<(&'static str, &'static str, Vec<Uuid>)>);

impl Rows {
    /// The rows that were committed before a time, with the margin.
    pub(crate) async fn before(database_url: &str, time: &str) -> anyhow::Result<Self> {
        Self::before_in(database_url, time, None).await
    }

    /// The same of one project.
    pub(crate) async fn before_in(
        database_url: &str,
        time: &str,
        project: Option<&str>,
    ) -> anyhow::Result<Self> {
        Self::select(database_url, (time, "<=", "-"), project).await
    }

    /// The rows that were committed after a time, with the margin.
    pub(crate) async fn after(database_url: &str, time: &str) -> anyhow::Result<Self> {
        Self::select(database_url, (time, ">", "+"), None).await
    }

    async fn select(
        database_url: &str,
        (time, is, sign): (&str, &str, &str),
        project: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut connection = PgConnection::connect(database_url).await?;
        let mut found = Vec::new();
        for (table, key) in TABLES {
            let statement = format!(
                "select {key} from {table} \
                 where pg_xact_commit_timestamp({table}.xmin) {is} $1::text::timestamptz {sign} interval '{MARGIN}' \
                   and ($2::text is null or project_id = (select p.project_id from project p where p.slug = $2))"
            );
            let ids = sqlx::query_scalar(AssertSqlSafe(statement)).bind(time).bind(project);
            let ids = ids.fetch_all(&mut connection).await?;
            found.push((table, key, ids));
        }
        Ok(Self(found))
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|(.., ids)| ids.len()).sum()
    }

    /// How many of them a database has.
    pub(crate) async fn count_in(&self, database_url: &str) -> anyhow::Result<usize> {
        let mut connection = PgConnection::connect(database_url).await?;
        let mut sum = 0;
        for (table, key, ids) in &self.0 {
            // A key of the ledger may belong to several rows, which are counted on both sides.
            let statement = format!(
                "select count(*) from unnest($1::uuid[]) as wanted (id) \
                 where exists (select from {table} where {table}.{key} = wanted.id)"
            );
            let count: i64 =
                sqlx::query_scalar(AssertSqlSafe(statement)).bind(ids).fetch_one(&mut connection).await?;
            sum += usize::try_from(count)?;
        }
        Ok(sum)
    }
}

/// The time of the database server, as text.
pub(crate) async fn now(database_url: &str) -> anyhow::Result<String> {
    later(database_url, 0.0).await
}

/// A later time of the database server, as text.
pub(crate) async fn later(database_url: &str, seconds: f64) -> anyhow::Result<String> {
    let mut connection = PgConnection::connect(database_url).await?;
    let time = sqlx::query_scalar("select (clock_timestamp() + make_interval(secs => $1))::text");
    Ok(time.bind(seconds).fetch_one(&mut connection).await?)
}

/// How many seconds before a time the last transaction of a restored database was committed there.
pub(crate) async fn seconds_lost(restored_url: &str, time: &str) -> anyhow::Result<f64> {
    let mut connection = PgConnection::connect(restored_url).await?;
    let mut last: Option<f64> = None;
    for (table, _) in TABLES {
        let statement = format!(
            "select extract(epoch from $1::text::timestamptz - max(pg_xact_commit_timestamp(xmin)))::float8 from {table}"
        );
        let lost: Option<f64> =
            sqlx::query_scalar(AssertSqlSafe(statement)).bind(time).fetch_one(&mut connection).await?;
        last = match (last, lost) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    last.context("the restored database is empty")
}
