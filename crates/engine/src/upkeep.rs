//! Maintenance at regular times, by every process that works in the background.

use std::time::Duration;

use reflect_store::Upkeep;
use tokio_util::sync::CancellationToken;

use crate::{Engine, chain};

const PERIOD: Duration = Duration::from_secs(60 * 60);
const AFTER_FAILURE: Duration = Duration::from_secs(60);

impl Engine {
    /// Runs maintenance now and then every hour, until told to stop.
    pub async fn keep_up(&self, stop: CancellationToken) {
        loop {
            // Stopping in the middle is safe: what is not committed is done again next time.
            let round = tokio::select! {
                () = stop.cancelled() => return,
                round = self.store.upkeep() => round,
            };
            let pause = match round {
                Ok(done) => {
                    report(&done);
                    self.let_go(&stop).await;
                    self.place(&stop).await;
                    PERIOD
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::error!(error, "maintenance failed and will be tried again in a minute");
                    AFTER_FAILURE
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }
}

impl Engine {
    /// What projects keep for a time only goes when that is over. What fails is tried next time.
    async fn let_go(&self, stop: &CancellationToken) {
        let removed = tokio::select! {
            () = stop.cancelled() => return,
            removed = self.retain() => removed,
        };
        match removed {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "{removed} rows were older than their projects keep them"),
            Err(error) => tracing::warn!(%error, "old rows of projects could not be removed: {error}"),
        }
    }

    /// Memories that were made without an embedder get their vectors. What fails is tried next time.
    async fn place(&self, stop: &CancellationToken) {
        let placed = tokio::select! {
            () = stop.cancelled() => return,
            placed = self.place_memories() => placed,
        };
        match placed {
            Ok(0) => {}
            Ok(placed) => tracing::info!(placed, "{placed} memories that had no vector were embedded"),
            Err(error) => tracing::warn!(%error, "memories without a vector could not be embedded: {error}"),
        }
        match self.tend_space_changes().await {
            Ok(0) => {}
            Ok(ended) => tracing::info!(ended, "{ended} changes of embedding models were finished"),
            Err(error) => {
                tracing::warn!(%error, "changes of embedding models were not looked after: {error}")
            }
        }
    }
}

fn report(done: &Upkeep) {
    let strays = done.stray_rows();
    metrics::gauge!("reflect_default_partition_rows").set(strays as f64);
    if strays > 0 {
        tracing::warn!(
            rows = strays,
            "{strays} rows had landed in a default partition: a clock is wrong, or maintenance did not run"
        );
    }
    for work in done.partitions.iter().filter(|work| work.action == "made" || work.action == "dropped") {
        tracing::info!(partition = work.partition, "{} partition {}", work.action, work.partition);
    }
    if done.requeued > 0 {
        tracing::warn!(
            reviews = done.requeued,
            "{} reviews waited to be learned from without a job",
            done.requeued
        );
    }
    if done.purged_rows + done.forgotten > 0 {
        tracing::info!(
            purged_rows = done.purged_rows,
            forgotten = done.forgotten,
            "maintenance removed old rows"
        );
    }
}
