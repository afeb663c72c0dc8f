//! Claims: how many jobs worker processes take and finish per second, and what one job costs, by number of projects. The
//! jobs end at once, so what is measured is the queue.

use std::time::{Duration, Instant};

use anyhow::ensure;
use reflect_bench_ingest::cpu::{cluster_seconds, process_seconds};
use sqlx::PgConnection;

use crate::figure::{Figure, Headline, Outcome, number};
use crate::stage::Stage;
use crate::statements;
use crate::worker_process::Workers;

/// Every project of an installation in use has had jobs.
const JOBS_PER_PROJECT: usize = 4;
const MANY_WORKERS: usize = 4;
/// How long the first claim may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What some workers did.
#[derive(Debug, Clone, Copy)]
struct Claimed {
    per_second: f64,
    /// Milliseconds of CPU per job.
    postgres: f64,
    workers: f64,
}

impl Claimed {
    fn cpu(self) -> f64 {
        self.postgres + self.workers
    }
}

/// A moment of a measurement.
struct Sample {
    at: Instant,
    left: i64,
    postgres: f64,
    workers: f64,
}

impl Sample {
    /// Counting jobs takes time of Postgres too, which is not that of the workers, so the time of this connection is left
    /// out.
    async fn take(stage: &Stage, connection: &mut PgConnection, workers: &Workers) -> anyhow::Result<Self> {
        let own: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut *connection).await?;
        let own = process_seconds(own.unsigned_abs())?;
        let (postgres, workers) = (cluster_seconds(stage.data())? - own, workers.cpu_seconds()?);
        Ok(Self { at: Instant::now(), left: statements::jobs_left(connection).await?, postgres, workers })
    }
}

pub(super) fn run(stage: &Stage) -> anyhow::Result<Outcome> {
    let sizes = stage.pick(vec![10, 1_000, 10_000, 100_000], vec![10, 200]);
    let mut figures = Vec::new();
    let mut measured = Vec::new();
    for projects in sizes {
        let (database_url, first) = stage.database_with_projects(&format!("claims_{projects}"), projects)?;
        let one = measure(stage, &database_url, (first, projects), 1)?;
        let many = measure(stage, &database_url, (first, projects), MANY_WORKERS)?;
        for (workers, claimed) in [(1, one), (MANY_WORKERS, many)] {
            figures.push(Figure::info(
                format!("{projects} projects, {workers} worker processes"),
                format!(
                    "{}/s, CPU per job {} ms Postgres, {} ms worker",
                    number(claimed.per_second),
                    number(claimed.postgres),
                    number(claimed.workers)
                ),
            ));
        }
        measured.push((projects, one, many));
        stage.end_row();
    }
    let (Some(small), Some(large)) = (measured.first(), measured.last()) else {
        return Ok(Outcome { figures, ..Outcome::default() });
    };
    let growth = (large.1.cpu() / small.1.cpu()).max(large.2.cpu() / small.2.cpu());
    let best = large.1.per_second.max(large.2.per_second);
    let slowest = measured.iter().map(|(_, one, many)| many.per_second / one.per_second);
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    figures.extend([
        Figure::at_most(format!("CPU per job at {} projects / at {}", large.0, small.0), growth, 1.5, ""),
        Figure::at_least(format!("claims at {} projects", large.0), best, 1_000.0, "/s"),
        Figure::at_least(
            format!("{MANY_WORKERS} worker processes / 1, lowest of all sizes"),
            slowest,
            1.0,
            "",
        ),
    ]);
    let headline = Headline { claims: Some((best, large.0)), ..Headline::default() };
    Ok(Outcome { figures, headline })
}

fn measure(
    stage: &Stage,
    database_url: &str,
    (first_project, projects): (i32, i32),
    count: usize,
) -> anyhow::Result<Claimed> {
    let jobs = stage.pick(60_000, 6_000).max(projects as usize * JOBS_PER_PROJECT);
    let mut connection = stage.block_on(async {
        let mut connection = statements::connect(database_url).await?;
        statements::clear_jobs(&mut connection).await?;
        statements::queue_jobs(&mut connection, first_project, projects, jobs).await?;
        anyhow::Ok(connection)
    })?;
    let workers = Workers::start(database_url, count)?;
    stage.block_on(observe(stage, &mut connection, &workers, jobs as i64))
}

async fn observe(
    stage: &Stage,
    connection: &mut PgConnection,
    workers: &Workers,
    queued: i64,
) -> anyhow::Result<Claimed> {
    let window = stage.pick(Duration::from_secs(10), Duration::from_secs(1));
    let step = stage.pick(Duration::from_secs(1), Duration::from_millis(250));
    let end = Instant::now() + PATIENCE;
    while statements::jobs_left(connection).await? >= queued {
        ensure!(Instant::now() < end, "no worker took a job in {} s", PATIENCE.as_secs());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(step).await;
    let from = Sample::take(stage, connection, workers).await?;
    loop {
        tokio::time::sleep(step).await;
        let to = Sample::take(stage, connection, workers).await?;
        let seconds = (to.at - from.at).as_secs_f64();
        let done = (from.left - to.left) as f64;
        if to.at - from.at >= window || to.left < queued / 50 {
            let each = |seconds: f64| seconds * 1e3 / done;
            return Ok(Claimed {
                per_second: done / seconds,
                postgres: each(to.postgres - from.postgres),
                workers: each(to.workers - from.workers),
            });
        }
    }
}
