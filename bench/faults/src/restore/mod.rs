//! Backups that are taken under load and restored elsewhere: a point in time, a dump, and the pack of one project. A restored
//! database must have everything that was committed before the time of the backup, and must be able to continue.

mod archive;
mod committed;
pub(crate) mod dump;
pub(crate) mod pack;
pub(crate) mod pitr;
mod programs;

use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::ensure;
use reflect_soak::audit::{Invariant, Violation, audit};
use reflect_soak::client::{Log, Tenant};
use reflect_soak::drain::drain;
use tokio::time::{Instant, sleep};

use crate::fault::Report;
use crate::load::{Load, Samples};
use crate::stage::{Processes, Stage};

/// How long unfinished work of a restored database may take.
const DRAIN: Duration = Duration::from_secs(120);
/// Markers of runs before the restore begin with a lower number.
const ROUND: u64 = 500;

/// What happened in a restored database.
struct Continued {
    /// From the start of the processes until the first run was stored and the first query answered.
    answered: Duration,
    acknowledged: u64,
    violations: Vec<Violation>,
}

/// Starts a server and a worker on a restored database, lets clients work for a short time, finishes all work, and audits.
async fn continue_with(
    stage: &Stage,
    database_url: &str,
    tenants: &[Tenant],
    seed: u64,
) -> anyhow::Result<Continued> {
    let began = Instant::now();
    let processes = Processes { database_url: Some(database_url.to_owned()), ..Processes::default() };
    let server = stage.launch(&processes, "api")?.start().await?;
    let _worker = stage.launch(&processes, "worker")?.start().await?;
    let load = Load::start(vec![server.address.clone()], tenants, ROUND, seed);
    load.recovered(began).await?;
    let answered = began.elapsed();
    sleep(Duration::from_secs(2)).await;
    load.surroundings.stop.store(true, Ordering::Relaxed);
    let (mut log, mut samples) = (Log::default(), Samples::default());
    load.clients.join_all().await.into_iter().for_each(|one| log.absorb(one));
    load.probes.join_all().await.into_iter().for_each(|one| samples.absorb(one));
    ensure!(log.acknowledged() > 0, "the restored installation acknowledged nothing");
    let drained = drain(database_url, DRAIN).await?;
    let mut violations = audit(database_url, &log, drained.is_complete()).await?.violations;
    if !drained.is_complete() {
        violations.push(Violation::new(Invariant::I5, format!("{} are left", drained.left)));
    }
    let acknowledged = (log.acknowledged() + samples.stored().count()) as u64;
    Ok(Continued { answered, acknowledged, violations })
}

impl Continued {
    /// Adds what happened here to the report about the source.
    fn add_to(self, report: &mut Report) {
        let doubled = self.violations.iter().filter(|violation| is_doubled(violation.of)).count() as u64;
        report.acknowledged += self.acknowledged;
        report.doubled += doubled;
        report.lost += self.violations.len() as u64 - doubled;
        let shown = self.violations.iter().take(3);
        report.notes.extend(shown.map(|violation| format!("restored: {violation}")));
    }
}

const fn is_doubled(invariant: Invariant) -> bool {
    matches!(invariant, Invariant::I4 | Invariant::I7)
}
