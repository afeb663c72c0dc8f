//! One client that sends queries one after another: over HTTP, or to the engine directly.

use std::time::Instant;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::Connection;
use reflect_engine::RetrievalQuery;
use serde_json::{Value, json};

use crate::server::Server;

/// A task that was not queried before, so no vector is cached. Its last word is the index of its prepared vector.
fn task(number: usize) -> String {
    format!(
        "Refund an order of a customer who wants to keep the article and has lost the receipt, request {number}"
    )
}

/// Queries over HTTP, starting at this number. The first ones are warm-up. Returns microseconds.
pub fn over_http(server: &Server, from: usize, warm_up: usize, count: usize) -> anyhow::Result<Vec<f64>> {
    let bodies: Vec<Vec<u8>> = (from..from + warm_up + count)
        .map(|number| json!({ "task": task(number) }).to_string().into_bytes())
        .collect();
    let (path, headers) = (server.path("/memory/query"), server.authorization());
    // A separate runtime, because a real client does not run on the server's threads.
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    client.block_on(async {
        let mut connection = Connection::open(&server.address).await?;
        let mut latencies = Vec::with_capacity(bodies.len());
        for body in &bodies {
            let began = Instant::now();
            let answer = connection.post(&path, &headers, body).await?;
            latencies.push(microseconds(began));
            ensure!(answer.status == 200, "status {}", answer.status);
            let memories: Value = serde_json::from_slice(&answer.body)?;
            let served = memories.as_array().context("not a list of memories")?.len();
            ensure!(served == RetrievalQuery::default().limit, "{served} memories were served");
        }
        Ok(latencies.split_off(warm_up))
    })
}

/// Queries the engine, without HTTP.
pub fn of_the_engine(server: &Server, from: usize, warm_up: usize, count: usize) -> anyhow::Result<Vec<f64>> {
    // On one of the server's threads, where a handler would run.
    let (engine, visitor) = (server.engine.clone(), server.visitor.clone());
    server.run(async move {
        let mut latencies = Vec::with_capacity(warm_up + count);
        for number in from..from + warm_up + count {
            let question = RetrievalQuery { task: task(number), ..RetrievalQuery::default() };
            let began = Instant::now();
            engine.retriever.retrieve(&visitor, &question).await?;
            latencies.push(microseconds(began));
        }
        Ok(latencies.split_off(warm_up))
    })
}

/// Calls the health check, which measures HTTP alone.
pub fn nothing(server: &Server, count: usize) -> anyhow::Result<Vec<f64>> {
    let client = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    client.block_on(async {
        let mut connection = Connection::open(&server.address).await?;
        let mut latencies = Vec::with_capacity(count);
        for _ in 0..count {
            let began = Instant::now();
            connection.get("/health", "").await?;
            latencies.push(microseconds(began));
        }
        Ok(latencies)
    })
}

fn microseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e6
}
