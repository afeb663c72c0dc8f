//! The ledger: how long the lock of a memory is held when a review is withdrawn that moved it, if the memory has a million
//! entries. Reviews of other runs that name the memory wait for that lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;
use sqlx::Connection;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::client::{Client, content, milliseconds, small_run};
use crate::figure::{Figure, Outcome, number};
use crate::stage::Stage;
use crate::statements::{self, LEDGER_LOCK};

const PROJECT: &str = "scale-1";
const PAUSE: Duration = Duration::from_millis(1);

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let entries = stage.pick(1_000_000, 5_000);
    let (database_url, project) = stage.database_with_projects("ledger", 1)?;
    let launch = stage.launch(&database_url, "all", Vec::new())?;
    let (memory, oldest) = stage.block_on(async {
        let key = launch.master_key().await?;
        let server = launch.start().await?;
        let mut client = Client::open(&server.address, &key).await?;
        let memory = client.write_memory(PROJECT, "Refund an order").await?;
        let oldest = reviewed(&mut client, memory, "the oldest review").await?;
        server.kill().await?;
        let mut connection = statements::connect(&database_url).await?;
        statements::fill_ledger(&mut connection, project, memory, entries).await?;
        anyhow::Ok((memory, oldest))
    })?;
    let mut figures = Vec::new();
    let mut longest = 0.0_f64;
    // A part of the work may be done after the answer.
    let afterwards = stage.pick(Duration::from_secs(2), Duration::from_millis(500));
    let withdrawn = stage.block_on(async {
        let key = launch.master_key().await?;
        let server = launch.start().await?;
        let mut client = Client::open(&server.address, &key).await?;
        let newest = reviewed(&mut client, memory, "the newest review").await?;
        let mut withdrawn = Vec::new();
        for (name, run) in [("newest", newest), ("oldest", oldest)] {
            let held = lock_held(&database_url, (project, memory), &mut client, run, afterwards).await?;
            withdrawn.push((name, held));
        }
        server.kill().await?;
        anyhow::Ok(withdrawn)
    })?;
    for (name, (answered, held)) in withdrawn {
        longest = longest.max(held);
        figures.push(Figure::info(
            format!("withdrawing the {name} review of {entries} entries"),
            format!("answered after {} ms, lock held {} ms", number(answered), number(held)),
        ));
    }
    figures.push(Figure::at_most("lock held", longest, 100.0, " ms"));
    Ok(Outcome { figures, ..Outcome::default() })
}

/// Records a run with the memory and a review, and waits until it is learned from.
async fn reviewed(client: &mut Client, memory: Uuid, task: &str) -> anyhow::Result<Uuid> {
    let mut run = small_run(task, Some("pass"));
    run["retrieved_memory_ids"] = json!([memory]);
    run["used_memory_ids"] = json!([memory]);
    let id = client.record(PROJECT, &run).await?;
    let run = client.wait_for(PROJECT, id).await?;
    ensure!(run["review_status"] == "reviewed", "the run was not learned from: {run}");
    Ok(id)
}

/// Withdraws a review. Returns the milliseconds until the answer, and those of the longest wait for the lock.
async fn lock_held(
    database_url: &str,
    (project, memory): (i32, Uuid),
    client: &mut Client,
    run: Uuid,
    afterwards: Duration,
) -> anyhow::Result<(f64, f64)> {
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, database_url) = (stop.clone(), database_url.to_owned());
    let mut prober = JoinSet::new();
    prober.spawn(async move {
        let mut connection = statements::connect(&database_url).await?;
        let mut longest = 0.0_f64;
        while !stopped.load(Ordering::Relaxed) {
            let began = Instant::now();
            let mut transaction = connection.begin().await?;
            let lock = sqlx::query(LEDGER_LOCK).bind(project).bind(memory);
            lock.fetch_one(&mut *transaction).await?;
            longest = longest.max(milliseconds(began));
            transaction.commit().await?;
            tokio::time::sleep(PAUSE).await;
        }
        anyhow::Ok(longest)
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    let answer = client.delete(&format!("/v1/projects/{PROJECT}/traces/{run}/review")).await?;
    let answered = milliseconds(began);
    content(answer, &[200])?;
    tokio::time::sleep(afterwards).await;
    stop.store(true, Ordering::Relaxed);
    let longest = prober.join_next().await.context("the prober did not start")?;
    Ok((answered, longest.context("the prober panicked")??))
}
