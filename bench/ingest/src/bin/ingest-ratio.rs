//! The cost of `POST /traces` compared with inserting its rows: traces of 30 kB through the API, and the same rows with
//! a bare INSERT, alternating, on one machine and one database.
//!
//! Both sides have the same number of connections and durable commits. The rows of the bare side are compressed and
//! hashed in advance, because this is work of the server and must be part of its cost.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use reflect_bench_ingest::bare::BareTrace;
use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::cpu::{cluster_seconds, process_seconds};
use reflect_bench_ingest::http::Connection;
use reflect_bench_ingest::process::Launch;
use reflect_bench_ingest::workload::Workload;
use reflect_store::{MigrationSettings, Store};
use sqlx::{Connection as _, PgConnection};

const PROJECT: &str = "ratio";
/// The number of different traces. More would only use memory.
const TRACES: usize = 200;

#[derive(Debug, Parser)]
struct Arguments {
    /// The binary to measure, built with --release.
    #[arg(long)]
    binary: PathBuf,
    /// The number of rounds. Each side runs once per round.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// The duration of one side's turn.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// The number of connections on each side.
    #[arg(long, default_value_t = 8)]
    clients: usize,
    /// The size of a trace in bytes.
    #[arg(long, default_value_t = 30_000)]
    bytes: usize,
    /// Fail if the ratio is below this.
    #[arg(long)]
    at_least: Option<f64>,
    /// Fail if Postgres takes more than this many times the CPU time of a bare insert.
    #[arg(long)]
    postgres_at_most: Option<f64>,
    /// Fail if the server takes more than this many milliseconds of CPU time per trace.
    #[arg(long)]
    server_at_most: Option<f64>,
    /// Let the server encrypt bodies. The bare side stays as it is, so the difference to a run without this is the cost.
    #[arg(long)]
    encrypted: bool,
    /// One short round, to check that it runs.
    #[arg(long)]
    quick: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = Arguments::parse();
    if arguments.quick {
        (arguments.rounds, arguments.seconds) = (1, 0.5);
    }
    let cluster = Cluster::start()?;
    let database_url = cluster.database("ratio").await?;
    let layout =
        MigrationSettings { url: database_url.clone().into(), hash_partitions: 16, partition_days: 7 };
    Store::migrate(&layout).await?;
    let launch = Launch {
        log: arguments.binary.with_file_name("ingest-ratio.log"),
        binary: arguments.binary.clone(),
        database_url: database_url.clone(),
        port: free_port()?,
        arguments: if arguments.encrypted { encryption(&arguments.binary)? } else { vec![] },
    };
    let server = launch.start().await?;
    let key = launch.key(PROJECT).await?;

    let mut workload = Workload::new(1, arguments.bytes);
    let traces: Vec<serde_json::Value> = (0..TRACES).map(|_| workload.next_trace()).collect();
    let bodies: Arc<Vec<Vec<u8>>> =
        Arc::new(traces.iter().map(|trace| trace.to_string().into_bytes()).collect());
    let rows: Arc<Vec<BareTrace>> = Arc::new(traces.iter().map(BareTrace::from).collect());
    let sent: usize = bodies.iter().map(Vec::len).sum();
    let stored: usize = rows.iter().map(BareTrace::stored_length).sum();
    println!("{} B a trace, {} B stored, {} connections", sent / TRACES, stored / TRACES, arguments.clients);

    let turn = Duration::from_secs_f64(arguments.seconds);
    let (mut ratios, mut postgres_ratios, mut server_times) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=arguments.rounds {
        let server_before = (process_seconds(server.id())?, cluster_seconds(cluster.data())?);
        let ours = through_the_server(&server.address, &key, &bodies, arguments.clients, turn).await?;
        let server_after = (process_seconds(server.id())?, cluster_seconds(cluster.data())?);
        let bare = by_insert(&database_url, &rows, arguments.clients, turn).await?;
        let bare_after = cluster_seconds(cluster.data())?;
        // The first round fills caches and connections on both sides.
        if round == 0 {
            continue;
        }
        let rate = |count: usize| count as f64 / turn.as_secs_f64();
        let micro = |seconds: f64, count: usize| seconds * 1e6 / count as f64;
        let ratio = ours as f64 / bare as f64;
        let server_time = micro(server_after.0 - server_before.0, ours);
        let postgres = micro(server_after.1 - server_before.1, ours);
        let bare_postgres = micro(bare_after - server_after.1, bare);
        println!(
            "round {round}: {:.0}/s through the server (CPU {server_time:.0} us server, {postgres:.0} us Postgres), \
             {:.0}/s bare (CPU {bare_postgres:.0} us Postgres), ratio {ratio:.2}, of Postgres CPU {:.2}",
            rate(ours),
            rate(bare),
            postgres / bare_postgres,
        );
        ratios.push(ratio);
        postgres_ratios.push(postgres / bare_postgres);
        server_times.push(server_time / 1e3);
    }
    server.kill().await?;
    let figures = [("ratio", ratios), ("Postgres CPU", postgres_ratios), ("server CPU", server_times)];
    let [ratio, postgres, server_time] = figures.map(|(name, mut samples)| {
        samples.sort_by(f64::total_cmp);
        println!("{name}: lowest {:.2}, highest {:.2}", samples[0], samples[samples.len() - 1]);
        samples[samples.len() / 2]
    });
    println!(
        "ingest ratio: {ratio:.2}; Postgres CPU {postgres:.2} of a bare insert; server CPU {server_time:.2} ms per trace"
    );
    let at_most = |limit: Option<f64>, value: f64| limit.is_none_or(|limit| value <= limit);
    ensure!(arguments.at_least.is_none_or(|limit| ratio >= limit), "the ratio is too low");
    ensure!(at_most(arguments.postgres_at_most, postgres), "Postgres takes too much CPU time");
    ensure!(at_most(arguments.server_at_most, server_time), "the server takes too much CPU time");
    Ok(())
}

/// Creates encryption keys. Returns the arguments of a server that uses them.
fn encryption(binary: &Path) -> anyhow::Result<Vec<String>> {
    let file = binary.with_file_name("ingest-ratio.keys").display().to_string();
    let created = Command::new(binary).args(["encryption", "key", "--file", &file]).output()?;
    let said = String::from_utf8_lossy(&created.stderr);
    ensure!(created.status.success(), "no encryption key could be made: {said}");
    Ok(vec!["--encryption-key-file".to_owned(), file])
}

/// The number of acknowledged traces in one turn.
async fn through_the_server(
    address: &str,
    key: &str,
    bodies: &Arc<Vec<Vec<u8>>>,
    clients: usize,
    turn: Duration,
) -> anyhow::Result<usize> {
    let next = Arc::new(AtomicUsize::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (next, stop, bodies) = (next.clone(), stop.clone(), bodies.clone());
        let (address, headers) = (address.to_owned(), format!("authorization: Bearer {key}\r\n"));
        sending.spawn(async move {
            let mut connection = Connection::open(&address).await?;
            let mut stored = 0;
            while !stop.load(Ordering::Relaxed) {
                let body = &bodies[next.fetch_add(1, Ordering::Relaxed) % bodies.len()];
                let answer =
                    connection.post(&format!("/v1/projects/{PROJECT}/traces"), &headers, body).await?;
                ensure!(answer.status == 201, "status {}", answer.status);
                stored += 1;
            }
            Ok(stored)
        });
    }
    count(sending, &stop, turn).await
}

/// The number of inserted rows in one turn.
async fn by_insert(
    database_url: &str,
    rows: &Arc<Vec<BareTrace>>,
    clients: usize,
    turn: Duration,
) -> anyhow::Result<usize> {
    let next = Arc::new(AtomicUsize::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let mut inserting = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (next, stop, rows, database_url) =
            (next.clone(), stop.clone(), rows.clone(), database_url.to_owned());
        inserting.spawn(async move {
            let mut connection = PgConnection::connect(&database_url).await?;
            let mut stored = 0;
            while !stop.load(Ordering::Relaxed) {
                rows[next.fetch_add(1, Ordering::Relaxed) % rows.len()].insert(&mut connection).await?;
                stored += 1;
            }
            Ok(stored)
        });
    }
    count(inserting, &stop, turn).await
}

async fn count(
    mut tasks: tokio::task::JoinSet<anyhow::Result<usize>>,
    stop: &AtomicBool,
    turn: Duration,
) -> anyhow::Result<usize> {
    let start = Instant::now();
    tokio::time::sleep(turn).await;
    stop.store(true, Ordering::Relaxed);
    let mut total = 0;
    while let Some(task) = tasks.join_next().await {
        total += task.context("a client panicked")??;
    }
    // Calls in progress at the end are counted with their time.
    Ok((total as f64 * turn.as_secs_f64() / start.elapsed().as_secs_f64()) as usize)
}
