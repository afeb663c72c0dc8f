//! Single faults without other load: how soon the jobs of a killed worker run again, and what a worker does that has
//! lost its jobs without knowing it.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::Connection;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

use crate::fleet::{Place, Role, signal};
use crate::world::World;
use reflect_soak::provider;

/// Longer than any takeover, so that no job ends while it is observed.
const SLOW_MS: u64 = 60_000;
/// Longer than the heartbeat timeout, so that both workers of a job are active when the first continues.
const HAUNTED_MS: u64 = 8_000;
/// The timeout of every wait here.
const PATIENCE: Duration = Duration::from_secs(60);

/// A job that a worker is processing.
#[derive(Debug, sqlx::FromRow)]
struct Held {
    trace_id: Uuid,
    process: i32,
    attempts: i16,
}

impl World {
    /// Kills every worker that holds a job. Returns for each job the time from the kill until another worker started
    /// it.
    pub(crate) async fn rescue(&self, round: usize) -> anyhow::Result<Vec<Duration>> {
        let mut connection = PgConnection::connect(&self.database_url).await?;
        let held = self.hold_jobs(&mut connection, &format!("rescue {round}"), SLOW_MS).await?;
        self.provider.set(provider::good());
        let mut killed = Vec::new();
        for (process, place) in self.holders(&held) {
            place.kill().await;
            killed.push((process, Instant::now()));
        }
        let mut rescued = Vec::new();
        for job in &held {
            let at = killed.iter().find(|(process, _)| *process == job.process);
            let (_, at) = at.context("a job is held by a process that is none of the workers")?;
            started_again(&mut connection, job).await?;
            rescued.push(at.elapsed());
        }
        self.drain(PATIENCE).await?;
        Ok(rescued)
    }

    /// Stops every worker that holds a job until others have taken its jobs over, and continues it while they work. So
    /// two workers finish each job, first the one that lost it.
    pub(crate) async fn haunt(&self) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(&self.database_url).await?;
        let held = self.hold_jobs(&mut connection, "haunted", HAUNTED_MS).await?;
        for (_, place) in self.holders(&held) {
            signal(place.process(), "STOP").await?;
        }
        for job in &held {
            started_again(&mut connection, job).await?;
        }
        for (_, place) in self.holders(&held) {
            signal(place.process(), "CONT").await?;
        }
        // The late responses are part of the test, so the provider stays slow until they have arrived.
        tokio::time::sleep(Duration::from_millis(HAUNTED_MS)).await;
        self.drain(PATIENCE).await?;
        Ok(())
    }

    /// Creates one reviewed run per project, and returns when a worker processes each of them and waits for the
    /// provider.
    async fn hold_jobs(
        &self,
        connection: &mut PgConnection,
        name: &str,
        wait_ms: u64,
    ) -> anyhow::Result<Vec<Held>> {
        self.provider.set(provider::slow(wait_ms));
        for tenant in &self.tenants {
            let body = json!({
                "task": name,
                "trajectory": [{ "role": "user", "content": "help" }],
                "metadata": { "run": format!("{name} {}", tenant.slug) },
                "review": { "result": "fail" },
            });
            let mut connection = Connection::open(&self.fleet.servers()[0]).await?;
            let headers = format!("authorization: Bearer {}\r\n", tenant.key);
            let path = format!("/v1/projects/{}/traces", tenant.slug);
            let answer = connection.post(&path, &headers, body.to_string().as_bytes()).await?;
            let text: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            ensure!(answer.status == 202, "a run could not be recorded: {} {text}", answer.status);
        }
        self.wait_until_held(connection).await
    }

    /// The workers that hold these jobs, with their processes.
    fn holders(&self, held: &[Held]) -> Vec<(i32, &Place)> {
        let workers = self.fleet.with(Role::Worker);
        let workers = workers.map(|place| (i32::try_from(place.process()).unwrap_or(0), place));
        workers.filter(|(process, _)| held.iter().any(|job| job.process == *process)).collect()
    }

    /// Waits until workers process all of them and wait for the provider.
    async fn wait_until_held(&self, connection: &mut PgConnection) -> anyhow::Result<Vec<Held>> {
        let end = Instant::now() + PATIENCE;
        loop {
            let held: Vec<Held> = sqlx::query_as(
                "select s.trace_id, w.process, s.attempts from trace_state s \
                 join job j on j.project_id = s.project_id and j.kind = 0 and j.subject = s.review_id \
                 join job_worker w on w.worker = j.worker \
                 where s.ingest = 1",
            )
            .fetch_all(&mut *connection)
            .await?;
            if held.len() == self.tenants.len() {
                return Ok(held);
            }
            ensure!(Instant::now() < end, "only {} jobs were taken", held.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Checks jobs one after the other. A job that started during the wait for another is already started.
async fn started_again(connection: &mut PgConnection, job: &Held) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let attempts: i16 = sqlx::query_scalar("select attempts from trace_state where trace_id = $1")
            .bind(job.trace_id)
            .fetch_one(&mut *connection)
            .await?;
        if attempts > job.attempts {
            return Ok(());
        }
        ensure!(Instant::now() < end, "the job of trace {} was not rescued", job.trace_id);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
