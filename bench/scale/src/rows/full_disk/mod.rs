//! A full disk: retrieval should go on, recording should be refused with 503, and everything should continue when there is
//! space again, without a lost run.
//!
//! The tables of the database are on a small disk in memory. The write-ahead log is not: without space for it, Postgres
//! itself stops, and no product can answer from it.

mod small_disk;

use std::time::{Duration, Instant};

use anyhow::ensure;
use reflect_bench_ingest::workload::Workload;
use serde_json::{Value, json};
use uuid::Uuid;

use super::queries::path;
use crate::client::Client;
use crate::figure::{Figure, Outcome};
use crate::stage::Stage;
use small_disk::SmallDisk;

const PROJECT: &str = "full-disk";
const RUN_BYTES: usize = 30_000;
/// One of this many runs has a review, so there is work to learn from, too.
const REVIEWED: usize = 5;
/// How long recovery may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What happened.
#[derive(Debug, Default)]
struct Observed {
    /// Acknowledged runs, and whether each has a review.
    acknowledged: Vec<(Uuid, bool)>,
    refused: usize,
    /// Refused with 503.
    unavailable: usize,
    /// Queries after the first refusal.
    asked: usize,
    answered: usize,
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let disk = match SmallDisk::mount(stage) {
        Ok(disk) => disk,
        Err(reason) => {
            let figures = vec![Figure::skipped(format!("no small disk: {reason:#}"))];
            return Ok(Outcome { figures, ..Outcome::default() });
        }
    };
    let measured = measure(stage, &disk);
    // The disk can only be removed when nothing is on it.
    stage.drop_databases();
    disk.remove(stage);
    Ok(Outcome { figures: measured?, ..Outcome::default() })
}

fn measure(stage: &Stage, disk: &SmallDisk) -> anyhow::Result<Vec<Figure>> {
    let database_url = stage.database_in("full_disk", small_disk::TABLESPACE)?;
    let full_for = stage.pick(Duration::from_secs(20), Duration::from_secs(3));
    stage.block_on(async {
        let launch = stage.launch(&database_url, "all", Vec::new())?;
        let key = launch.master_key().await?;
        let server = launch.start().await?;
        let mut client = Client::open(&server.address, &key).await?;
        client.write_memory(PROJECT, "Refund an order").await?;
        let mut workload = Workload::new(1, RUN_BYTES);
        let mut observed = Observed::default();
        for number in 0..20 {
            observed.record(&mut client, &mut workload, number).await?;
        }
        ensure!(observed.refused == 0, "runs were refused before the disk was full");
        ensure!(is_served(&mut client).await, "no memory was served before the disk was full");

        let ballast = disk.fill()?;
        let end = Instant::now() + full_for;
        for number in 0.. {
            observed.record(&mut client, &mut workload, number).await?;
            if observed.refused > 0 {
                observed.asked += 1;
                observed.answered += usize::from(is_served(&mut client).await);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            if Instant::now() > end {
                break;
            }
        }
        drop(ballast);
        let began = Instant::now();
        let mut afterwards = Observed::default();
        while !afterwards.record(&mut client, &mut workload, 0).await? && began.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let recovered = began.elapsed();
        observed.acknowledged.append(&mut afterwards.acknowledged);
        let lost = lost(&mut client, &observed.acknowledged).await?;
        server.kill().await?;
        Ok(observed.figures(recovered, lost))
    })
}

impl Observed {
    /// Records a run. Returns whether it was acknowledged.
    async fn record(
        &mut self,
        client: &mut Client,
        workload: &mut Workload,
        number: usize,
    ) -> anyhow::Result<bool> {
        let mut run = workload.next_trace();
        let has_review = number.is_multiple_of(REVIEWED);
        if has_review {
            run["review"] = json!({ "result": "fail", "feedback_text": "Look the order up first." });
        }
        let Ok(answer) = client.post(&format!("/v1/projects/{PROJECT}/traces"), &run).await else {
            self.refused += 1;
            return Ok(false);
        };
        let is_acknowledged = matches!(answer.status, 201 | 202);
        if is_acknowledged {
            let stored: Value = serde_json::from_slice(&answer.body)?;
            let id = stored["trace_id"].as_str().unwrap_or_default().parse()?;
            self.acknowledged.push((id, has_review));
        } else {
            self.refused += 1;
            self.unavailable += usize::from(answer.status == 503);
        }
        Ok(is_acknowledged)
    }

    fn figures(&self, recovered: Duration, lost: usize) -> Vec<Figure> {
        let Self { acknowledged, refused, unavailable, asked, answered } = self;
        vec![
            Figure::stated(
                "queries answered while the disk is full",
                format!("{answered} of {asked}"),
                "all",
                *asked > 0 && answered == asked,
            ),
            Figure::stated(
                "runs refused with 503",
                format!("{unavailable} of {refused} refused"),
                "all",
                *refused > 0 && unavailable == refused,
            ),
            Figure::stated(
                "acknowledged runs that are lost",
                format!("{lost} of {}", acknowledged.len()),
                "0",
                lost == 0,
            ),
            Figure::at_most("recording again after", recovered.as_secs_f64(), 10.0, " s"),
        ]
    }
}

/// Whether a query is answered with a memory.
async fn is_served(client: &mut Client) -> bool {
    let answer = client.post(&path(PROJECT), &json!({ "task": "Refund an order" })).await;
    answer.is_ok_and(|answer| {
        let memories: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        answer.status == 200 && memories.as_array().is_some_and(|memories| !memories.is_empty())
    })
}

/// How many acknowledged runs cannot be read, or are not learned from although they have a review.
async fn lost(client: &mut Client, acknowledged: &[(Uuid, bool)]) -> anyhow::Result<usize> {
    let end = Instant::now() + PATIENCE;
    let mut lost = 0;
    for (run, has_review) in acknowledged {
        let path = format!("/v1/projects/{PROJECT}/traces/{run}?trajectory=none");
        loop {
            let answer = client.get(&path).await?;
            let stored: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let is_learned = !has_review || stored["review_status"] == "reviewed";
            if answer.status == 200 && is_learned {
                break;
            }
            if answer.status == 404 || Instant::now() > end {
                lost += 1;
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(lost)
}
