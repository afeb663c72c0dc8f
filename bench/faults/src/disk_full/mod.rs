//! The disk of Postgres is full: all of it, or only the one of its write-ahead log.

pub(crate) mod data;
pub(crate) mod wal;

use anyhow::ensure;
use tokio::time::Instant;

use crate::load::{Kind, Samples};
use crate::stage::Stage;

/// More memory than a server needs for its work, in MB.
const MOST_MEMORY: u64 = 512;

/// A time in which the disk was full.
#[derive(Debug, Clone, Copy)]
struct Full {
    from: Instant,
    to: Instant,
}

/// Recordings are stored, or get 503 with `Retry-After`. Nothing else is allowed while the disk is full. Returns how many were
/// refused.
fn check_recordings(samples: &Samples, full: Full) -> anyhow::Result<usize> {
    let statuses = samples.statuses(Kind::Record, full.from, full.to);
    let mut refused = 0;
    for sample in samples.between(Kind::Record, full.from, full.to) {
        match sample.status {
            Some(202) => {}
            Some(503) if sample.has_retry_after => refused += 1,
            _ => anyhow::bail!("recordings on a full disk: {statuses}; {sample:?}"),
        }
    }
    Ok(refused)
}

/// The servers must not keep what they cannot store.
fn check_memory(stage: &Stage) -> anyhow::Result<u64> {
    let most = stage.most_memory()?;
    ensure!(most < MOST_MEMORY, "a process used {most} MB");
    Ok(most)
}
