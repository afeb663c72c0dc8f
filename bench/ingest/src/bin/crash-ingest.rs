//! Kills the server while clients record traces, and then checks that every acknowledged trace is stored once, with the
//! body that was sent.
//!
//! Then the same run is made with a server that acknowledges before it commits. If that run passes too, the check does
//! not work, and the run fails.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Parser;
use rand::RngExt;
use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::http::Connection;
use reflect_bench_ingest::process::Launch;
use reflect_bench_ingest::workload::Workload;
use reflect_store::{MigrationSettings, Store, StoreSettings};
use reflect_types::TraceId;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

const PROJECT: &str = "crash";

#[derive(Debug, Parser)]
struct Arguments {
    /// The `reflect` binary: a debug build, because the mutant needs `--fault`.
    #[arg(long)]
    binary: PathBuf,
    /// How long clients send, in seconds.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// The minimum number of kills.
    #[arg(long, default_value_t = 10)]
    kills: u32,
    /// The number of concurrent clients.
    #[arg(long, default_value_t = 8)]
    clients: u64,
}

/// An acknowledged trace.
#[derive(Debug)]
struct Acknowledged {
    id: TraceId,
    sent: Value,
}

#[derive(Debug, Default)]
struct Outcome {
    acknowledged: usize,
    kills: u32,
    lost: usize,
    doubled: usize,
    altered: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let cluster = Cluster::start()?;

    let outcome = run(&arguments, &cluster, "real", vec![]).await?;
    println!("real: {outcome:?}");
    let fault = vec!["--fault".to_owned(), "ack-before-commit".to_owned()];
    let caught = run(&arguments, &cluster, "mutant", fault).await?;
    println!("mutant: {caught:?}");

    let Outcome { acknowledged, kills, lost, doubled, altered } = outcome;
    println!(
        "crash-ingest: {acknowledged} acknowledged, {kills} kills, {lost} lost, {doubled} doubled, mutant {}",
        if caught.lost > 0 { "caught" } else { "NOT caught" }
    );
    ensure!(
        kills >= arguments.kills,
        "the server was killed {kills} times, {} were asked for",
        arguments.kills
    );
    ensure!(acknowledged > 0, "nothing was acknowledged, so nothing was tested");
    ensure!(lost + doubled + altered == 0, "{lost} lost, {doubled} doubled, {altered} altered");
    ensure!(caught.lost > 0, "a server that acknowledges before it commits was not caught");
    Ok(())
}

async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    name: &str,
    extra: Vec<String>,
) -> anyhow::Result<Outcome> {
    let binary = arguments.binary.clone();
    let database_url = cluster.database(name).await?;
    let layout =
        MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 30 };
    Store::migrate(&layout).await?;
    let log = binary.with_file_name(format!("crash-ingest-{name}.log"));
    let launch =
        Launch { binary, database_url: database_url.clone(), port: free_port()?, arguments: extra, log };
    let key = Arc::new(launch.key(PROJECT).await?);
    let stop = Arc::new(AtomicBool::new(false));
    let address = Arc::new(format!("127.0.0.1:{}", launch.port));

    let mut server = launch.start().await?;
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..arguments.clients {
        let (stop, address, key) = (stop.clone(), address.clone(), key.clone());
        clients.spawn(async move { send_until(&stop, &address, &key, number).await });
    }
    let mut outcome = Outcome::default();
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let pause = arguments.seconds * 1000 / u64::from(arguments.kills + 2);
    // On a slow machine a start takes long. The run then continues until there were enough kills.
    while Instant::now() < end || outcome.kills < arguments.kills {
        let jitter = rand::rng().random_range(pause / 2..=pause);
        tokio::time::sleep(Duration::from_millis(jitter)).await;
        server.kill().await?;
        outcome.kills += 1;
        server = launch.start().await?;
    }
    stop.store(true, Ordering::Relaxed);
    let acknowledged: Vec<Acknowledged> = clients.join_all().await.into_iter().flatten().collect();
    server.kill().await?;
    audit(&database_url, &acknowledged, &mut outcome).await?;
    Ok(outcome)
}

/// One client: sends until the run ends. It sends the same trace with the same idempotency key until the trace is
/// acknowledged.
async fn send_until(stop: &AtomicBool, address: &str, key: &str, number: u64) -> Vec<Acknowledged> {
    let mut workload = Workload::new(number, 2_000);
    let mut acknowledged = Vec::new();
    let mut connection = None;
    while !stop.load(Ordering::Relaxed) {
        let sent = workload.next_trace();
        let body = sent.to_string();
        let headers = format!("authorization: Bearer {key}\r\nidempotency-key: {}\r\n", Uuid::now_v7());
        // Continues after the end of the run, until the current trace is acknowledged or times out.
        for _ in 0..2_000 {
            match attempt(&mut connection, address, &headers, body.as_bytes()).await {
                Ok(id) => {
                    acknowledged.push(Acknowledged { id, sent });
                    break;
                }
                Err(_) if stop.load(Ordering::Relaxed) => return acknowledged,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }
    acknowledged
}

async fn attempt(
    connection: &mut Option<Connection>,
    address: &str,
    headers: &str,
    body: &[u8],
) -> anyhow::Result<TraceId> {
    let mut open = match connection.take() {
        Some(open) => open,
        None => Connection::open(address).await?,
    };
    let answer = open.post(&format!("/v1/projects/{PROJECT}/traces"), headers, body).await?;
    if answer.status != 201 {
        bail!("status {}", answer.status);
    }
    *connection = Some(open);
    let answer: Value = serde_json::from_slice(&answer.body)?;
    Ok(answer["trace_id"].as_str().context("no trace id")?.parse()?)
}

/// Checks the acknowledged traces. The store checks each body against its digest.
async fn audit(
    database_url: &str,
    acknowledged: &[Acknowledged],
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let settings = StoreSettings::new(database_url.to_owned().into(), 4);
    let store = Store::connect(&settings).await?;
    let project = store.catalogue().find_project(&PROJECT.parse()?).await?.context("the project is gone")?;
    let project = store.project(project);
    outcome.acknowledged = acknowledged.len();
    for Acknowledged { id, sent } in acknowledged {
        match project.traces().get(*id).await {
            Ok(found) => {
                let trajectory: Value = serde_json::from_str(&found.trajectory)?;
                if trajectory != sent["trajectory"]
                    || found.task != sent["task"]
                    || found.metadata != sent["metadata"]
                {
                    outcome.altered += 1;
                }
            }
            Err(_) => outcome.lost += 1,
        }
    }
    // Every trace of a client is different, so two with the same content are one trace stored twice.
    let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(database_url).await?;
    let doubled: i64 = sqlx::query_scalar(
        "select coalesce(sum(copies - 1), 0)::bigint from (select count(*) as copies from trace group by content_digest) c",
    )
    .fetch_one(&mut connection)
    .await?;
    outcome.doubled = usize::try_from(doubled)?;
    Ok(())
}
