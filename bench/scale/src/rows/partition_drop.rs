//! Recording runs while maintenance has an expired partition to drop, and a dump holds a lock on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use reflect_bench_query::figures::quantile;
use tokio::task::JoinSet;

use crate::client::{Client, milliseconds, small_run};
use crate::figure::{Figure, Outcome, number};
use crate::stage::Stage;
use crate::statements::{self, DUMP_LOCKS};

const CLIENTS: usize = 4;
const PROJECT: &str = "scale-1";

/// What clients saw.
#[derive(Debug, Default)]
struct Recorded {
    latencies: Vec<f64>,
    failed: usize,
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let (alone_for, beside_for) = stage.pick((5, 30), (1, 3));
    let (database_url, _) = stage.database_with_projects("partition_drop", 1)?;
    let (alone, beside) = stage.block_on(async {
        let launch = stage.launch(&database_url, "api", Vec::new())?;
        let key = launch.master_key().await?;
        let server = launch.start().await?;
        let alone = record(&server.address, &key, Duration::from_secs(alone_for)).await?;
        let mut connection = statements::connect(&database_url).await?;
        statements::make_expired_partitions(&mut connection).await?;
        let mut dump = statements::connect(&database_url).await?;
        statements::execute(&mut dump, "begin isolation level repeatable read").await?;
        statements::execute(&mut dump, DUMP_LOCKS).await?;
        let worker = stage.launch(&database_url, "worker", Vec::new())?.start().await?;
        let beside = record(&server.address, &key, Duration::from_secs(beside_for)).await?;
        worker.kill().await?;
        server.kill().await?;
        anyhow::Ok((alone, beside))
    })?;
    let of = |recorded: &Recorded| {
        let (p99, most) = (quantile(&recorded.latencies, 0.99), quantile(&recorded.latencies, 1.0));
        format!("p99 {} ms, longest {} ms, {} failed", number(p99), number(most), recorded.failed)
    };
    let figures = vec![
        Figure::info("recording a run, alone", of(&alone)),
        Figure::info("beside the dump and maintenance", of(&beside)),
        Figure::at_most("longest", quantile(&beside.latencies, 1.0), 250.0, " ms"),
        Figure::stated("failed", beside.failed.to_string(), "0", beside.failed == 0),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

async fn record(address: &str, key: &str, turn: Duration) -> anyhow::Result<Recorded> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let (stop, address, key) = (stop.clone(), address.to_owned(), key.to_owned());
        clients.spawn(async move {
            let mut client = Client::open(&address, &key).await?;
            let mut recorded = Recorded::default();
            let mut sent = 0;
            while !stop.load(Ordering::Relaxed) {
                let run = small_run(&format!("run {sent} of client {number}"), None);
                sent += 1;
                let began = Instant::now();
                recorded.failed += usize::from(client.record(PROJECT, &run).await.is_err());
                recorded.latencies.push(milliseconds(began));
            }
            anyhow::Ok(recorded)
        });
    }
    tokio::time::sleep(turn).await;
    stop.store(true, Ordering::Relaxed);
    let mut all = Recorded::default();
    while let Some(client) = clients.join_next().await {
        let recorded = client.context("a client panicked")??;
        all.latencies.extend(recorded.latencies);
        all.failed += recorded.failed;
    }
    Ok(all)
}
