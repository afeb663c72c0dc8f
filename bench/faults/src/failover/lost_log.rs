//! The part of the log of an old primary that its successor did not receive: what Postgres reports as lost.

use std::collections::HashSet;
use std::fs::File;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::free_port;
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::cluster::PatroniCluster;
use super::member::{Member, SUPERUSER};

const RECOVERY: Duration = Duration::from_secs(60);

/// Work that was committed on an old primary, after the position in its log at which another server was promoted.
#[derive(Debug)]
pub(crate) struct LostLog {
    /// The position: an LSN.
    pub(crate) position: String,
    /// The number of lost transactions.
    pub(crate) transactions: usize,
    /// The traces that they stored.
    pub(crate) traces: HashSet<Uuid>,
    /// The reviews that they stored or changed.
    pub(crate) reviews: HashSet<Uuid>,
}

impl LostLog {
    /// Compares the files of a killed member with its successor.
    pub(crate) async fn read(
        cluster: &PatroniCluster,
        (old, new): (usize, usize),
        database: &str,
    ) -> anyhow::Result<Self> {
        let (old, new) = (&cluster.members[old], &cluster.members[new]);
        ensure!(!old.is_running(), "{} must not run", old.name);
        let (timeline, position) = promotion(new).await?;
        let transactions = commits_after(cluster, old, timeline, &position).await?;
        let (traces, reviews) = stored_by(cluster, old, database, &transactions).await?;
        Ok(Self { position, transactions: transactions.len(), traces, reviews })
    }
}

/// The timeline that a member left when it was promoted, and where.
async fn promotion(member: &Member) -> anyhow::Result<(u32, String)> {
    let mut connection = member.connect("postgres").await?;
    let file: String =
        sqlx::query_scalar("select pg_walfile_name(pg_current_wal_lsn())").fetch_one(&mut connection).await?;
    let present = file.get(..8).context("the name of a file of the log begins with its timeline")?;
    let history: String = sqlx::query_scalar("select pg_read_file(format('pg_wal/%s.history', $1))")
        .bind(present)
        .fetch_one(&mut connection)
        .await?;
    let last = history.lines().rfind(|line| !line.trim().is_empty()).context("the history is empty")?;
    let mut words = last.split_whitespace();
    let timeline = words.next().context("a timeline")?.parse()?;
    Ok((timeline, words.next().context("a position")?.to_owned()))
}

/// The transactions whose commits are in the log of a member at or after this position.
async fn commits_after(
    cluster: &PatroniCluster,
    member: &Member,
    timeline: u32,
    position: &str,
) -> anyhow::Result<HashSet<i64>> {
    let mut dump = cluster.tools.postgres("pg_waldump");
    dump.arg("--path").arg(member.data().join("pg_wal")).args(["--rmgr", "Transaction"]);
    dump.args(["--timeline", &timeline.to_string(), "--start", position]);
    // It ends with an error where the log ends.
    let output = dump.output().await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(!text.is_empty() || complaint.contains("invalid record length"), "pg_waldump: {complaint}");
    Ok(text.lines().flat_map(committed).collect())
}

/// The transaction of a line of the log if it is a commit, and its parts.
fn committed(line: &str) -> Vec<i64> {
    let Some((head, commit)) = line.split_once("desc: COMMIT") else { return Vec::new() };
    let transaction =
        head.split_once("tx:").and_then(|(_, rest)| rest.split(',').next()?.trim().parse().ok());
    let parts = commit.split_once("subxacts:").map_or("", |(_, rest)| rest.split(';').next().unwrap_or(""));
    transaction.into_iter().chain(parts.split_whitespace().filter_map(|id| id.parse().ok())).collect()
}

/// What these transactions stored, according to the member, which is started alone and stopped again.
async fn stored_by(
    cluster: &PatroniCluster,
    member: &Member,
    database: &str,
    transactions: &HashSet<i64>,
) -> anyhow::Result<(HashSet<Uuid>, HashSet<Uuid>)> {
    let (port, log) = (free_port()?, File::create(member.log().with_extension("alone.log"))?);
    let mut alone = cluster.tools.postgres("postgres");
    alone.arg("-D").arg(member.data()).args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
    alone.args([
        "-c",
        "unix_socket_directories=",
        "-c",
        "synchronous_standby_names=",
        "-c",
        "restore_command=",
    ]);
    alone.stdout(log.try_clone()?).stderr(log).kill_on_drop(true).current_dir(member.data());
    let mut server = alone.spawn()?;
    let mut connection = connect(&format!("postgres://{SUPERUSER}@127.0.0.1:{port}/{database}")).await?;
    let mut found = Vec::new();
    for statement in
        ["select trace_id, xmin::text::bigint from trace", "select review_id, xmin::text::bigint from review"]
    {
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(statement).fetch_all(&mut connection).await?;
        let lost = rows.into_iter().filter(|(_, transaction)| transactions.contains(transaction));
        found.push(lost.map(|(id, _)| id).collect());
    }
    connection.close().await?;
    server.kill().await?;
    let [traces, reviews] = found.try_into().ok().context("two lists")?;
    Ok((traces, reviews))
}

/// Connects as soon as the server has recovered.
async fn connect(url: &str) -> anyhow::Result<PgConnection> {
    let end = Instant::now() + RECOVERY;
    loop {
        match PgConnection::connect(url).await {
            Ok(connection) => return Ok(connection),
            Err(error) if Instant::now() > end => {
                return Err(error).context("the old primary does not start");
            }
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::committed;

    #[test]
    fn commits_are_read_from_the_log() {
        let commit = "rmgr: Transaction len (rec/tot):     34/    34, tx:        755, lsn: 0/05000110, prev 0/050000E8, \
                      desc: COMMIT 2026-11-20 00:19:49.953019 UTC";
        let with_parts = format!("{commit}; subxacts: 756 757; inval msgs: catcache 50");

        assert_eq!(committed(commit), [755]);
        assert_eq!(committed(&with_parts), [755, 756, 757]);
        assert!(committed(&commit.replace("COMMIT", "ABORT")).is_empty());
    }
}
