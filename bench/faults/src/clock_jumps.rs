//! `clock-jumps`: the clock of one of two workers jumps by an hour in both directions while it works. In the end this worker is
//! killed while its clock is ahead, and the other one must take over its jobs.

use std::time::Duration;

use anyhow::{Context, ensure};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_bench_ingest::clock::Clock;
use reflect_bench_ingest::cluster::Cluster;
use reflect_soak::audit::Invariant;
use reflect_soak::provider;
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::Arguments;
use crate::fault::Report;
use crate::mutant::{Installations, Mutant};
use crate::stage::{Processes, Stage};

/// The clock of the worker, in seconds from the true one.
const CLOCKS: [i32; 3] = [0, 3600, -3600];
/// How long the provider takes, so that the worker holds jobs when it is killed.
const SLOW_MS: u64 = 3_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// A worker that writes the time of its own clock into the table of workers. The run writes the clock of each process into the
/// table `clock`.
const OWN_CLOCK: Mutant = Mutant {
    name: "workers are alive by their own clocks",
    statements: &[
        "create table clock (process int primary key, ahead interval not null)",
        "create function own_clock() returns trigger language plpgsql security definer as $$ begin \
           new.seen_at := new.seen_at \
             + coalesce((select c.ahead from public.clock c where c.process = new.process), '0 s'); \
           return new; end $$",
        "create trigger own_clock before insert or update of seen_at on job_worker \
           for each row execute function own_clock()",
    ],
    fault: None,
    shows_in: &[Invariant::I5],
};

pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let name = "clock-jumps";
    let cluster = Cluster::start()?;
    let clock = Clock::create(cluster.data().join("clock"))?;
    clock.set(i64::from(CLOCKS[1]))?;
    let processes =
        Processes { workers: 2, first_worker_variables: clock.variables(), ..Processes::default() };
    let mut all =
        Box::pin(Installations::create(arguments, &cluster, name, &[OWN_CLOCK], &processes)).await?;
    ensure_jumped(&all.product).await?;
    let jumps = if arguments.quick { 5 } else { 120 };
    let mut random = SmallRng::seed_from_u64(arguments.seed);
    let loads = all.load();
    let mut ahead = CLOCKS[1];
    for _ in 0..jumps {
        let others: Vec<i32> = CLOCKS.into_iter().filter(|other| *other != ahead).collect();
        ahead = others[random.random_range(0..others.len())];
        set_all(&all, &clock, ahead).await?;
        sleep(Duration::from_millis(random.random_range(500..2_500))).await;
    }
    set_all(&all, &clock, CLOCKS[1]).await?;
    for stage in all.stages_mut() {
        stage.provider.set(provider::slow(SLOW_MS));
    }
    let mut held = Vec::new();
    for stage in all.stages_mut() {
        held.push(kill_first_worker(stage).await?);
    }
    let killed = Instant::now();
    let took_over = taken_over(&all.product, &held[0]).await?;
    let outcome = Box::pin(all.settle(loads)).await?;
    let mut report = outcome.report();
    report.recovery = Some(took_over.saturating_duration_since(killed));
    report.notes.push(format!("{jumps} jumps; {} jobs of the killed worker were taken over", held[0].len()));
    report.mutants = all.verdicts();
    Ok(report)
}

/// Lets the clock jump, and tells the mutants.
async fn set_all(all: &Installations, clock: &Clock, ahead: i32) -> anyhow::Result<()> {
    clock.set(i64::from(ahead))?;
    for (_, stage) in &all.mutants {
        let mut owner = PgConnection::connect(&stage.database_url).await?;
        sqlx::query(
            "insert into clock (process, ahead) values ($1, make_interval(secs => $2)) \
             on conflict (process) do update set ahead = excluded.ahead",
        )
        .bind(process(stage)?)
        .bind(f64::from(ahead))
        .execute(&mut owner)
        .await?;
    }
    Ok(())
}

fn process(stage: &Stage) -> anyhow::Result<i32> {
    Ok(i32::try_from(stage.workers.first().context("there is no worker")?.id())?)
}

/// The id that a worker takes at its start contains the time of its clock.
async fn ensure_jumped(stage: &Stage) -> anyhow::Result<()> {
    let mut owner = PgConnection::connect(&stage.database_url).await?;
    let end = Instant::now() + PATIENCE;
    loop {
        let ahead: Option<f64> = sqlx::query_scalar(
            "select extract(epoch from uuid_extract_timestamp(worker) - now())::float8 from job_worker \
             where process = $1",
        )
        .bind(process(stage)?)
        .fetch_optional(&mut owner)
        .await?;
        if let Some(ahead) = ahead {
            ensure!(ahead > 3_000.0, "the clock of the worker did not jump: it is {ahead:.0} s ahead");
            return Ok(());
        }
        ensure!(Instant::now() < end, "the worker whose clock jumps did not start to work");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Kills the worker whose clock jumps while it holds jobs, and returns them.
async fn kill_first_worker(stage: &mut Stage) -> anyhow::Result<Vec<Uuid>> {
    let mut owner = PgConnection::connect(&stage.database_url).await?;
    let end = Instant::now() + PATIENCE;
    loop {
        let held: Vec<Uuid> = sqlx::query_scalar(
            "select j.subject from job j join job_worker w on w.worker = j.worker \
             where w.process = $1 and w.dead_at is null",
        )
        .bind(process(stage)?)
        .fetch_all(&mut owner)
        .await?;
        if !held.is_empty() {
            stage.workers.remove(0).kill().await?;
            return Ok(held);
        }
        ensure!(Instant::now() < end, "the worker whose clock jumps took no job");
        sleep(Duration::from_millis(20)).await;
    }
}

/// When none of these jobs is held by the killed worker any more.
async fn taken_over(stage: &Stage, jobs: &[Uuid]) -> anyhow::Result<Instant> {
    let mut owner = PgConnection::connect(&stage.database_url).await?;
    let end = Instant::now() + PATIENCE;
    loop {
        let left: i64 = sqlx::query_scalar(
            "select count(*) from job j join job_worker w on w.worker = j.worker \
             where j.subject = any($1) and w.process <> $2",
        )
        .bind(jobs)
        .bind(process(stage)?)
        .fetch_one(&mut owner)
        .await?;
        if left == 0 {
            return Ok(Instant::now());
        }
        ensure!(Instant::now() < end, "{left} jobs of the killed worker were not taken over");
        sleep(Duration::from_millis(20)).await;
    }
}
