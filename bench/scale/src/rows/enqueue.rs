//! Enqueue: transactions that store a row and queue a job, against the same transactions without the job. A flush takes
//! 5 ms, as with a synchronous standby, and eight clients share it unless the queue makes them commit one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use sqlx::Connection;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::figure::{Figure, Outcome, number};
use crate::stage::Stage;
use crate::statements::{self, ENQUEUE, WRITE_PROBE};

const CLIENTS: i32 = 8;
/// `commit_delay` is in microseconds.
const FLUSH: [(&str, &str); 3] =
    [("synchronous_commit", "on"), ("commit_delay", "5000"), ("commit_siblings", "0")];

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let (database_url, first) = stage.database_with_projects("enqueue", stage.pick(1_000, 10))?;
    let turn = stage.pick(Duration::from_secs(5), Duration::from_millis(700));
    let rounds = stage.pick(5, 1);
    let mut ratios = Vec::new();
    let (mut queueing, mut bare) = (0.0, 0.0);
    stage.block_on(async {
        let mut connection = statements::connect(&database_url).await?;
        statements::make_probe_table(&mut connection).await?;
        // The first jobs of a project make rows of the queue that later ones find.
        statements::queue_jobs(&mut connection, first, CLIENTS, 500).await?;
        for _ in 0..rounds {
            queueing = transactions(&database_url, Some(first), turn).await?;
            bare = transactions(&database_url, None, turn).await?;
            ratios.push(queueing / bare);
        }
        anyhow::Ok(())
    })?;
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    let figures = vec![
        Figure::info(
            "8 clients, flush of 5 ms, last round",
            format!("{}/s with a job, {}/s without", number(queueing), number(bare)),
        ),
        Figure::at_least("with a job / without", median, 0.8, ""),
    ];
    Ok(Outcome { figures, ..Outcome::default() })
}

/// Transactions per second. Every client has a project of its own, from this number on, or queues nothing.
async fn transactions(database_url: &str, projects: Option<i32>, turn: Duration) -> anyhow::Result<f64> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (stop, database_url) = (stop.clone(), database_url.to_owned());
        let project = projects.map(|first| first + client);
        clients.spawn(async move {
            let mut connection = statements::connect_with(&database_url, &FLUSH).await?;
            let mut committed = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let mut transaction = connection.begin().await?;
                sqlx::query(WRITE_PROBE).execute(&mut *transaction).await?;
                if let Some(project) = project {
                    let job = sqlx::query(ENQUEUE).bind(vec![project]).bind(vec![Uuid::now_v7()]);
                    job.execute(&mut *transaction).await?;
                }
                transaction.commit().await?;
                committed += 1;
            }
            anyhow::Ok(committed)
        });
    }
    let start = Instant::now();
    tokio::time::sleep(turn).await;
    stop.store(true, Ordering::Relaxed);
    let mut total = 0;
    while let Some(client) = clients.join_next().await {
        total += client.context("a client panicked")??;
    }
    Ok(f64::from(total) / start.elapsed().as_secs_f64())
}
