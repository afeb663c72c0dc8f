//! The faults: kills at random times, workers that are stopped and continue late, crashes of Postgres.

use std::ops::{AddAssign, Range};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::ensure;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use sqlx::{Connection, PgConnection};
use tokio::time::Instant;

use crate::fleet::{Fleet, Place, Role, signal};

/// How long a continued worker is not killed, so that it can try to finish lost jobs.
const LATE_WORK: Duration = Duration::from_millis(1500);
/// How long Postgres may take to recover.
const RECOVERY: Duration = Duration::from_secs(120);
/// The pause between two stopped workers.
const REST: Duration = Duration::from_millis(500);

/// The faults to inject.
#[derive(Debug, Clone)]
pub(crate) struct Havoc {
    pub(crate) seed: u64,
    pub(crate) duration: Duration,
    /// The time between two kills, in milliseconds.
    pub(crate) kill_every: Range<u64>,
    /// A process is not killed for a random time up to this after its start. Otherwise, no process would become ready
    /// on a slow machine.
    pub(crate) mercy: Duration,
    /// Whether workers are killed, or only servers.
    pub(crate) kill_workers: bool,
    /// For how long a worker is stopped.
    pub(crate) zombie: Duration,
    /// How many workers are stopped at the same time: none, one or two.
    pub(crate) zombies_at_once: usize,
    /// The number of Postgres crashes.
    pub(crate) crashes: u32,
}

/// The injected faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) servers: usize,
    pub(crate) workers: usize,
    pub(crate) zombies: usize,
    pub(crate) crashes: usize,
}

impl Done {
    /// The number of all SIGKILLs.
    pub(crate) const fn kills(&self) -> usize {
        self.servers + self.workers + self.crashes
    }
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.servers += other.servers;
        self.workers += other.workers;
        self.zombies += other.zombies;
        self.crashes += other.crashes;
    }
}

impl Havoc {
    /// Injects faults for the given time and leaves every process running.
    pub(crate) async fn wreak(&self, fleet: &Fleet, database_url: &str) -> anyhow::Result<Done> {
        let end = Instant::now() + self.duration;
        let (mut done, crashes, one, two) = tokio::join!(
            self.kill(fleet, end),
            self.crash(database_url),
            self.stop_workers(fleet, database_url, end, 0),
            self.stop_workers(fleet, database_url, end, 1),
        );
        done.crashes = crashes?;
        done.zombies = one? + two?;
        Ok(done)
    }

    async fn kill(&self, fleet: &Fleet, end: Instant) -> Done {
        let mut random = SmallRng::seed_from_u64(self.seed);
        let mut done = Done::default();
        let targets: Vec<&Place> =
            fleet.places.iter().filter(|place| self.kill_workers || place.role == Role::Server).collect();
        while Instant::now() < end {
            let pause = random.random_range(self.kill_every.clone());
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let target = targets[random.random_range(0..targets.len())];
            let mercy = self.mercy.mul_f64(random.random());
            if target.asleep.load(Ordering::Relaxed) || target.age() < mercy {
                continue;
            }
            target.kill().await;
            match target.role {
                Role::Server => done.servers += 1,
                Role::Worker => done.workers += 1,
            }
        }
        done
    }

    /// Stops one worker after the other, preferably one with a job, and continues it when others have taken its jobs
    /// over.
    async fn stop_workers(
        &self,
        fleet: &Fleet,
        database_url: &str,
        end: Instant,
        lane: usize,
    ) -> anyhow::Result<usize> {
        let mut made = 0;
        if lane >= self.zombies_at_once {
            return Ok(made);
        }
        while Instant::now() + self.zombie + LATE_WORK < end {
            // No process works while the database is not reachable.
            let busy = busy_workers(database_url).await.unwrap_or_default();
            let mut awake = fleet.with(Role::Worker).filter(|place| !place.asleep.load(Ordering::Relaxed));
            let target = awake.find(|place| busy.contains(&place.process()));
            let Some(target) = target else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            target.asleep.store(true, Ordering::Relaxed);
            // It may have been killed in the meantime.
            if signal(target.process(), "STOP").await.is_ok() {
                tokio::time::sleep(self.zombie).await;
                signal(target.process(), "CONT").await?;
                made += 1;
                tokio::time::sleep(LATE_WORK).await;
            }
            target.asleep.store(false, Ordering::Relaxed);
            tokio::time::sleep(REST).await;
        }
        Ok(made)
    }

    /// Kills a backend from time to time, which makes Postgres restart all backends and recover.
    async fn crash(&self, database_url: &str) -> anyhow::Result<usize> {
        let mut made = 0;
        for _ in 0..self.crashes {
            tokio::time::sleep(self.duration / (self.crashes + 1)).await;
            let victim = a_backend(database_url).await?;
            // It may have ended in the meantime.
            made += usize::from(signal(victim, "KILL").await.is_ok());
        }
        Ok(made)
    }
}

/// A backend of one of the processes, preferably an active one. Waits until the database has recovered from the crash
/// before.
async fn a_backend(database_url: &str) -> anyhow::Result<u32> {
    let end = Instant::now() + RECOVERY;
    loop {
        if let Ok(mut connection) = PgConnection::connect(database_url).await {
            let found: Result<Option<i32>, _> = sqlx::query_scalar(
                "select pid from pg_stat_activity where application_name = 'reflect' \
                 order by state = 'active' desc, random() limit 1",
            )
            .fetch_optional(&mut connection)
            .await;
            if let Ok(Some(process)) = found {
                return Ok(u32::try_from(process)?);
            }
        }
        ensure!(Instant::now() < end, "Postgres did not recover within {} s", RECOVERY.as_secs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The processes of the workers that hold jobs.
pub(crate) async fn busy_workers(database_url: &str) -> anyhow::Result<Vec<u32>> {
    let mut connection = PgConnection::connect(database_url).await?;
    let busy: Vec<i32> = sqlx::query_scalar(
        "select distinct w.process from job j join job_worker w on w.worker = j.worker \
         where w.seen_at > now() - interval '2 seconds'",
    )
    .fetch_all(&mut connection)
    .await?;
    Ok(busy.into_iter().filter_map(|pid| u32::try_from(pid).ok()).collect())
}
