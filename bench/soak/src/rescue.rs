//! How soon the jobs of a killed worker run again, while nothing else is wrong.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::http::Connection;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;
use uuid::Uuid;

use crate::fleet::Role;
use crate::provider;
use crate::world::World;

/// Longer than any rescue, so that no job ends by itself while it is watched.
const SLOW_MS: u64 = 60_000;
/// How long anything that is waited for here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A job that a worker is at work on.
#[derive(Debug, sqlx::FromRow)]
struct Held {
    trace_id: Uuid,
    process: i32,
    attempts: i16,
}

impl World {
    /// One reviewed run per project; every worker that takes one is killed. Says for each job how long
    /// it took from the kill until another worker had started it.
    pub(crate) async fn rescue(&self, round: usize) -> anyhow::Result<Vec<Duration>> {
        self.provider.set(provider::slow(SLOW_MS));
        for tenant in &self.tenants {
            let body = json!({
                "task": format!("rescue {round}"),
                "trajectory": [{ "role": "user", "content": "help" }],
                "metadata": { "run": format!("rescue {round} {}", tenant.slug) },
                "review": { "result": "fail" },
            });
            let mut connection = Connection::open(&self.fleet.servers()[0]).await?;
            let headers = format!("authorization: Bearer {}\r\n", tenant.key);
            let path = format!("/v1/projects/{}/traces", tenant.slug);
            let answer = connection.post(&path, &headers, body.to_string().as_bytes()).await?;
            let text: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            ensure!(answer.status == 202, "a run could not be recorded: {} {text}", answer.status);
        }
        let mut connection = PgConnection::connect(&self.database_url).await?;
        let held = self.wait_until_held(&mut connection).await?;
        self.provider.set(provider::good());
        let mut killed = Vec::new();
        for place in self.fleet.with(Role::Worker) {
            let process = i32::try_from(place.process())?;
            if held.iter().any(|job| job.process == process) {
                place.kill().await;
                killed.push((process, Instant::now()));
            }
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

    /// Waits until workers are at work on all of them, and the provider keeps them waiting.
    async fn wait_until_held(&self, connection: &mut PgConnection) -> anyhow::Result<Vec<Held>> {
        let end = Instant::now() + PATIENCE;
        loop {
            let held: Vec<Held> = sqlx::query_as(
                "select s.trace_id, (w.metadata ->> 'pid')::int as process, s.attempts from trace_state s \
                 join reflect_jobs._private_jobs j on j.key = 'learn ' || s.project_id || ' ' || s.review_id \
                 join reflect_jobs._private_workers w on w.id = j.locked_by \
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

/// Jobs are looked at in turn; one that started while another was waited for is found started.
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
