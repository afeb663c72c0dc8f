//! Kills servers while clients query memories at one server and record the runs at another, and then compares every
//! acknowledged run with the receipt that it names.
//!
//! A receipt is stored after the response to its query, so a kill may lose it. A run must be linked to exactly what its
//! receipt says if the receipt is stored, and to nothing if it was lost. A receipt that a client has seen is never lost.
//!
//! Then the same run is made with servers that do not wait for receipts. If that run passes too, the check does not work,
//! and the run fails.

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
use reflect_bench_ingest::process::{Launch, Server};
use reflect_store::{MigrationSettings, Store};
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

const PROJECT: &str = "crash";
const TASK: &str = "Refund the order of a customer";
/// Servers with the same database.
const SERVERS: usize = 2;
/// How often a client repeats a request that failed. Restarting a server takes up to some seconds.
const ATTEMPTS: u32 = 2_000;

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
    #[arg(long, default_value_t = 6)]
    clients: usize,
}

/// An acknowledged run, and the receipt that it names.
#[derive(Debug)]
struct Acknowledged {
    trace: Uuid,
    receipt: Uuid,
    /// Whether a server has shown the receipt.
    seen: bool,
}

#[derive(Debug, Default)]
struct Outcome {
    runs: usize,
    kills: u32,
    /// Runs whose receipt is not stored.
    lost: usize,
    /// Receipts that a client has seen and that are not stored.
    seen_and_lost: usize,
    /// Runs that are not linked to what their stored receipt says.
    unlinked: usize,
    /// Runs that are linked to memories although their receipt is not stored.
    unproved: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let cluster = Cluster::start()?;

    let outcome = run(&arguments, &cluster, "real", vec![]).await?;
    println!("real: {outcome:?}");
    let fault = vec!["--fault".to_owned(), "no-receipt-wait".to_owned()];
    let caught = run(&arguments, &cluster, "mutant", fault).await?;
    println!("mutant: {caught:?}");

    let Outcome { runs, kills, lost, seen_and_lost, unlinked, unproved } = outcome;
    println!(
        "crash-receipts: {runs} runs, {kills} kills, {lost} receipts lost, {unlinked} unlinked, {unproved} unproved, mutant {}",
        if caught.unlinked > 0 { "caught" } else { "NOT caught" }
    );
    ensure!(
        kills >= arguments.kills,
        "servers were killed {kills} times, {} were asked for",
        arguments.kills
    );
    ensure!(runs > lost, "no run has a stored receipt, so nothing was tested");
    ensure!(
        unlinked + unproved + seen_and_lost == 0,
        "{unlinked} unlinked, {unproved} unproved, {seen_and_lost} seen and lost"
    );
    ensure!(caught.unlinked > 0, "servers that do not wait for receipts were not caught");
    Ok(())
}

async fn run(
    arguments: &Arguments,
    cluster: &Cluster,
    name: &str,
    extra: Vec<String>,
) -> anyhow::Result<Outcome> {
    let database_url = cluster.database(name).await?;
    let layout =
        MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 30 };
    Store::migrate(&layout).await?;
    let mut launches = Vec::new();
    for number in 0..SERVERS {
        launches.push(Launch {
            binary: arguments.binary.clone(),
            database_url: database_url.clone(),
            port: free_port()?,
            arguments: extra.clone(),
            log: arguments.binary.with_file_name(format!("crash-receipts-{name}-{number}.log")),
        });
    }
    let key = launches[0].key(PROJECT).await?;
    let mut servers: Vec<Server> = Vec::new();
    for launch in &launches {
        servers.push(launch.start().await?);
    }
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    let headers = format!("authorization: Bearer {key}\r\n");
    create_memories(&addresses[0], &headers).await?;

    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..arguments.clients {
        let (stop, addresses, headers) = (stop.clone(), addresses.clone(), headers.clone());
        clients.spawn(async move { send_until(&stop, &addresses, &headers).await });
    }
    let mut outcome = Outcome::default();
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let pause = arguments.seconds * 1000 / u64::from(arguments.kills + 2);
    // On a slow machine a start takes long. The run then continues until there were enough kills.
    while Instant::now() < end || outcome.kills < arguments.kills {
        let (jitter, victim) = {
            let mut random = rand::rng();
            (random.random_range(pause / 2..=pause), random.random_range(0..SERVERS))
        };
        tokio::time::sleep(Duration::from_millis(jitter)).await;
        servers.swap_remove(victim).kill().await?;
        outcome.kills += 1;
        let launch = launches.swap_remove(victim);
        servers.push(launch.start().await?);
        launches.push(launch);
    }
    stop.store(true, Ordering::Relaxed);
    let acknowledged: Vec<Acknowledged> = clients.join_all().await.into_iter().flatten().collect();
    for server in servers {
        server.kill().await?;
    }
    audit(&database_url, &acknowledged, &mut outcome).await?;
    Ok(outcome)
}

/// Creates some memories that every query finds.
async fn create_memories(address: &str, headers: &str) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    for number in 0..3 {
        let lesson = json!({ "guidance": format!("Look up the price in list {number} first.") });
        let review = json!({ "result": "pass", "reflection": lesson });
        let body = json!({ "task": TASK, "trajectory": [], "review": review }).to_string();
        let answer = connection.post(&path("traces"), headers, body.as_bytes()).await?;
        ensure!(answer.status == 201, "a memory could not be created: status {}", answer.status);
    }
    Ok(())
}

fn path(rest: &str) -> String {
    format!("/v1/projects/{PROJECT}/{rest}")
}

/// One client: queries memories at one server, and immediately records a run with the receipt at another one.
async fn send_until(stop: &AtomicBool, addresses: &[String], headers: &str) -> Vec<Acknowledged> {
    let mut acknowledged = Vec::new();
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        let (asked, told) = (&addresses[turn % SERVERS], &addresses[(turn + 1) % SERVERS]);
        let Ok(receipt) = query(asked, headers).await else { continue };
        // Sometimes the client looks at the receipt first.
        let seen = turn % 8 == 0 && shows(told, headers, receipt).await;
        // The same id for every attempt: a run that is stored already is acknowledged again.
        let trace = Uuid::now_v7();
        let body = json!({ "trace_id": trace, "task": "a run", "trajectory": [], "retrieval_id": receipt });
        for _ in 0..ATTEMPTS {
            match record(told, headers, &body).await {
                Ok(()) => {
                    acknowledged.push(Acknowledged { trace, receipt, seen });
                    break;
                }
                Err(_) if stop.load(Ordering::Relaxed) => return acknowledged,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }
    acknowledged
}

async fn query(address: &str, headers: &str) -> anyhow::Result<Uuid> {
    let body = json!({ "task": TASK }).to_string();
    let answer =
        Connection::open(address).await?.post(&path("memory/query"), headers, body.as_bytes()).await?;
    if answer.status != 200 {
        bail!("status {}", answer.status);
    }
    let memories: Value = serde_json::from_slice(&answer.body)?;
    Ok(memories[0]["retrieval_id"].as_str().context("no memory was found")?.parse()?)
}

async fn shows(address: &str, headers: &str, receipt: Uuid) -> bool {
    let Ok(mut connection) = Connection::open(address).await else { return false };
    let shown = connection.get(&path(&format!("retrievals/{receipt}")), headers).await;
    shown.is_ok_and(|answer| answer.status == 200)
}

async fn record(address: &str, headers: &str, body: &Value) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    let answer = connection.post(&path("traces"), headers, body.to_string().as_bytes()).await?;
    if answer.status != 201 {
        bail!("status {}", answer.status);
    }
    Ok(())
}

/// Compares each run with its receipt, as the owner of the tables.
async fn audit(
    database_url: &str,
    acknowledged: &[Acknowledged],
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(database_url).await?;
    outcome.runs = acknowledged.len();
    for Acknowledged { trace, receipt, seen } in acknowledged {
        let (linked, served): (Vec<Uuid>, Option<Vec<Uuid>>) = sqlx::query_as(
            "select t.linked, r.memory_ids[1:r.served]
             from trace t left join retrieval r on r.project_id = t.project_id and r.retrieval_id = $2
             where t.trace_id = $1",
        )
        .bind(trace)
        .bind(receipt)
        .fetch_one(&mut connection)
        .await
        .context("an acknowledged run is gone")?;
        match served {
            Some(served) if linked.starts_with(&served) && !served.is_empty() => {}
            Some(_) => outcome.unlinked += 1,
            None => {
                outcome.lost += 1;
                outcome.seen_and_lost += usize::from(*seen);
                outcome.unproved += usize::from(!linked.is_empty());
            }
        }
    }
    Ok(())
}
