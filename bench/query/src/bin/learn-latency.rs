//! Measures how soon a reviewed run can be retrieved: from the response to a trace with its review, to the response of
//! `POST /memory/query` that returns the memory, without the time of models.
//!
//! Server and worker share a process, which is the default, and commits are durable. Reviews are sent one after
//! another, so a review never waits for another one.

#![expect(clippy::print_stdout, reason = "the figures are what the run is for")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_ingest::cpu::cluster_seconds;
use reflect_bench_ingest::http::Connection;
use reflect_bench_query::bank::DIMENSIONS;
use reflect_bench_query::doubles::TimedModels;
use reflect_bench_query::figures::quantile;
use reflect_bench_query::server::{self, Server};
use reflect_engine::Models;
use reflect_store::{MigrationSettings, Store};
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor, PgConnection};

/// The first reviews have cold caches and no prepared statements.
const WARM_UP: usize = 20;

#[derive(Debug, Parser)]
struct Arguments {
    /// The number of measured reviews.
    #[arg(long, default_value_t = 300)]
    reviews: usize,
    /// How long a model takes for an answer.
    #[arg(long, default_value_t = 0)]
    provider_ms: u64,
    /// Fail if the 95th percentile is above this many milliseconds.
    #[arg(long, default_value_t = 25.0)]
    at_most: f64,
    /// A few reviews and no limit, to check that it runs.
    #[arg(long)]
    quick: bool,
}

/// The steps of one review, in milliseconds.
#[derive(Default)]
struct Steps {
    /// From acceptance to the call of the text model: the queue, and reading the run.
    until_asked: Vec<f64>,
    /// From its answer to the call of the embedder. The draft is stored meanwhile.
    until_embedded: Vec<f64>,
    /// From the vector to the completed run: the memory is stored.
    until_settled: Vec<f64>,
    /// From there to the retrieved memory: one query.
    until_served: Vec<f64>,
    /// The time of the models.
    provider: Vec<f64>,
    /// The total without the models.
    total: Vec<f64>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = Arguments::parse();
    if arguments.quick {
        (arguments.reviews, arguments.at_most) = (10, f64::INFINITY);
    }
    server::start_telemetry()?;
    let cluster = Cluster::start()?;
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let database_url = client.block_on(async {
        let url = cluster.database("learn").await?;
        let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 16, partition_days: 7 };
        Store::migrate(&layout).await?;
        anyhow::Ok(url)
    })?;
    let doubles = TimedModels::new(DIMENSIONS, Duration::from_millis(arguments.provider_ms));
    let models = Models {
        text: Some(Arc::new(doubles.clone())),
        embedder: Some(Arc::new(doubles.clone())),
        ..Models::default()
    };
    let server = Server::start(&database_url, &"learn".parse()?, models)?;
    let mut steps = Steps::default();
    let mut before = (0.0, 0.0);
    client.block_on(async {
        let mut connection = Connection::open(&server.address).await?;
        for number in 0..WARM_UP + arguments.reviews {
            if number == WARM_UP {
                before = (Server::cpu_seconds()?, cluster_seconds(cluster.data())?);
            }
            let mut unmeasured = Steps::default();
            let steps = if number < WARM_UP { &mut unmeasured } else { &mut steps };
            learn(&server, &doubles, &mut connection, number, steps).await?;
        }
        let milliseconds = |seconds: f64| seconds * 1e3 / arguments.reviews as f64;
        println!(
            "CPU for one review, with its trace and one query: {:.2} ms of the server and {:.2} ms of Postgres",
            milliseconds(Server::cpu_seconds()? - before.0),
            milliseconds(cluster_seconds(cluster.data())? - before.1)
        );
        println!("a durable commit of one row takes {:.2} ms", durable_commit(&database_url).await?);
        anyhow::Ok(())
    })?;
    for (name, samples) in [
        ("accepted until the model is asked", &steps.until_asked),
        ("its answer until the embedder is asked", &steps.until_embedded),
        ("the vector until the run is settled", &steps.until_settled),
        ("settled until served", &steps.until_served),
        ("models", &steps.provider),
        ("accepted until served, without models", &steps.total),
    ] {
        println!(
            "{name}: p50 {:.1} ms, p95 {:.1} ms, highest {:.1} ms",
            quantile(samples, 0.5),
            quantile(samples, 0.95),
            quantile(samples, 1.0)
        );
    }
    let p95 = quantile(&steps.total, 0.95);
    println!("learn latency: p95 {p95:.1} ms after acceptance, provider time excluded");
    ensure!(p95 <= arguments.at_most, "the 95th percentile is over {} ms", arguments.at_most);
    Ok(())
}

/// Measures one review.
async fn learn(
    server: &Server,
    doubles: &TimedModels,
    connection: &mut Connection,
    number: usize,
    steps: &mut Steps,
) -> anyhow::Result<()> {
    let headers = server.authorization();
    let task = format!("refund order {number} of customer {} in shop {}", number * 7, number % 20);
    let trace = json!({
        "task": task,
        "trajectory": [
            { "role": "user", "content": task },
            { "role": "assistant", "content": "I have refunded the order." },
        ],
        // Equal lessons would be served once.
        "review": { "result": "fail", "feedback_text": format!("Order {number} was not looked up first.") },
    });
    let answer = connection.post(&server.path("/traces"), &headers, trace.to_string().as_bytes()).await?;
    let accepted = Instant::now();
    ensure!(answer.status == 202, "status {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
    let answer: Value = serde_json::from_slice(&answer.body)?;
    let trace = answer["trace_id"].as_str().context("no trace id")?.to_owned();

    // The request returns when the run is processed. Polling would take CPU time from the measured work.
    let path = server.path(&format!("/traces/{trace}?wait=10"));
    let settled_trace: Value = serde_json::from_slice(&connection.get(&path, &headers).await?.body)?;
    let settled = Instant::now();
    ensure!(settled_trace["ingest_status"] == "completed", "the run is {settled_trace}");

    let question = json!({ "task": task }).to_string();
    let answer = connection.post(&server.path("/memory/query"), &headers, question.as_bytes()).await?;
    let served = Instant::now();
    let memories: Vec<Value> = serde_json::from_slice(&answer.body)?;
    let created = &settled_trace["created_memory_id"];
    ensure!(memories.iter().any(|memory| memory["id"] == *created), "the memory is not served");

    let asked = doubles.take();
    let (text, vector) = (asked.text.context("no model was asked")?, asked.vector.context("no vector")?);
    let provider = (text.1 - text.0) + (vector.1 - vector.0);
    for (samples, time) in [
        // The worker can call the model before the client has the response.
        (&mut steps.until_asked, text.0.saturating_duration_since(accepted)),
        (&mut steps.until_embedded, vector.0 - text.1),
        (&mut steps.until_settled, settled - vector.1),
        (&mut steps.until_served, served - settled),
        (&mut steps.provider, provider),
        (&mut steps.total, (served - accepted).saturating_sub(provider)),
    ] {
        samples.push(time.as_secs_f64() * 1e3);
    }
    Ok(())
}

/// The latency of the disk: the median time to commit one small row, in milliseconds.
async fn durable_commit(database_url: &str) -> anyhow::Result<f64> {
    let mut connection = PgConnection::connect(database_url).await?;
    connection.execute("create table commit_probe (n int)").await?;
    let mut times = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        connection.execute("insert into commit_probe values (1)").await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(quantile(&times, 0.5))
}
