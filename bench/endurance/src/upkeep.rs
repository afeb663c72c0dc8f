//! What happens beside the load: cycles of maintenance, the judge, changes of the embedding model, and rows whose time is up.

use std::time::Duration;

use anyhow::{bail, ensure};
use reflect_store::MaintenanceStep;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tokio::time::{Instant, sleep};

use crate::installation::{Installation, JUDGED, RETENTION};

/// Maintenance looks for work once a minute, and a cycle takes seconds.
const PATIENCE: Duration = Duration::from_secs(180);
const PAUSE: Duration = Duration::from_millis(200);
/// For how long processes use what they know about a project. The clock must not jump earlier after a change.
const KNOWN_FOR: Duration = Duration::from_secs(4);

/// Steps whose last cycle ended after this time.
const FINISHED: &str =
    "select count(*) from maintenance_step where ended_at >= $1::timestamptz and visited_project = 0";
const FAILED: &str =
    "select step::text || ': ' || last_error from maintenance_step where last_error is not null";
/// Runs of the last day that wait for the judge.
const UNJUDGED: &str = "select count(*) from trace_state s join project p using (project_id) \
     where p.slug = $1 and s.trace_id > uuid_at(now() - interval '23 hours') \
       and not exists (select from judgement j where j.project_id = s.project_id and j.trace_id = s.trace_id)";
const JUDGE_REVIEWS: &str = "select count(*) from judgement where applied_review is not null";

/// Rows that are kept for too long: what they are, and a query of their number. `$1` is the limit in days. Maintenance removes
/// them within a day.
const OVERDUE: [(&str, u32, &str); 6] = [
    (
        "messages",
        RETENTION.bodies_days + 1,
        "select count(*) from trace_body where trace_id < uuid_at(now() - make_interval(days => $1))",
    ),
    (
        "receipts",
        RETENTION.retrievals_days + 1,
        "select count(*) from retrieval where retrieval_id < uuid_at(now() - make_interval(days => $1))",
    ),
    (
        "texts of runs",
        RETENTION.traces_days + 1,
        "select count(*) from trace where task <> '' and trace_id < uuid_at(now() - make_interval(days => $1))",
    ),
    // A partition has the rows of a day, and is dropped when its last row is old enough.
    (
        "runs",
        RETENTION.partitions_days + 2,
        "select count(*) from trace where trace_id < uuid_at(now() - make_interval(days => $1))",
    ),
    (
        "audit entries",
        RETENTION.partitions_days + 2,
        "select count(*) from audit_entry where audit_id < uuid_at(now() - make_interval(days => $1))",
    ),
    (
        "idempotency keys",
        3,
        "select count(*) from idempotency where created_at < now() - make_interval(days => $1)",
    ),
];

impl Installation {
    /// Waits for maintenance and for the judge, after the processes were killed and started again if that is wanted. Returns what
    /// failed.
    pub(crate) async fn upkeep(&mut self, since: &str, restarts: bool) -> anyhow::Result<Vec<String>> {
        if restarts {
            self.restart().await?;
        }
        let failed = self.maintained(since).await?;
        self.judged().await?;
        Ok(failed)
    }

    /// Waits until every step of maintenance has ended a cycle after this time. Returns the steps that failed.
    async fn maintained(&self, since: &str) -> anyhow::Result<Vec<String>> {
        let (mut owner, end) = (PgConnection::connect(&self.database_url).await?, Instant::now() + PATIENCE);
        loop {
            let finished: i64 = sqlx::query_scalar(FINISHED).bind(since).fetch_one(&mut owner).await?;
            if finished == MaintenanceStep::ALL.len() as i64 {
                break;
            }
            ensure!(
                Instant::now() < end,
                "only {finished} steps of maintenance ended; the log is {}",
                self.log_file.display()
            );
            sleep(PAUSE).await;
        }
        let failed: Vec<String> = sqlx::query_scalar(FAILED).fetch_all(&mut owner).await?;
        sleep(KNOWN_FOR).await;
        Ok(failed.into_iter().map(|step| format!("a step of maintenance failed: {step}")).collect())
    }

    /// The time of the database.
    pub(crate) async fn now(&self) -> anyhow::Result<String> {
        let mut owner = PgConnection::connect(&self.database_url).await?;
        Ok(sqlx::query_scalar("select now()::text").fetch_one(&mut owner).await?)
    }

    /// Waits until the judge has judged all runs of the day.
    async fn judged(&self) -> anyhow::Result<()> {
        let (mut owner, end) = (PgConnection::connect(&self.database_url).await?, Instant::now() + PATIENCE);
        loop {
            let left: i64 = sqlx::query_scalar(UNJUDGED).bind(JUDGED).fetch_one(&mut owner).await?;
            if left == 0 {
                break;
            }
            ensure!(
                Instant::now() < end,
                "the judge left {left} runs; the log is {}",
                self.log_file.display()
            );
            sleep(PAUSE).await;
        }
        let reviews: i64 = sqlx::query_scalar(JUDGE_REVIEWS).fetch_one(&mut owner).await?;
        ensure!(reviews > 0, "no judgement became a review, so the judge was not active");
        Ok(())
    }

    /// Changes the embedding model of the projects with clients, up to the switch of queries to the new space.
    pub(crate) async fn change_embedding(&self) -> anyhow::Result<()> {
        for member in self.with_clients() {
            self.post(member, "embedding-change", json!({})).await?;
            self.wait_for_embedding(member, "ready").await?;
            self.post(member, "embedding-change/switch", json!({})).await?;
        }
        sleep(KNOWN_FOR).await;
        Ok(())
    }

    /// Gives the old vectors up now. Otherwise maintenance does so a week after the switch.
    pub(crate) async fn finish_embedding(&self) -> anyhow::Result<()> {
        for member in self.with_clients() {
            self.post(member, "embedding-change/finish", json!({})).await?;
        }
        sleep(KNOWN_FOR).await;
        Ok(())
    }

    /// Whether the last change of the embedding model has ended in these projects, with one space.
    pub(crate) async fn has_finished_embedding(&self) -> anyhow::Result<bool> {
        for member in self.with_clients() {
            let change = self.get(member, "embedding-change").await?;
            let spaces = change["writes"].as_array().map_or(0, Vec::len);
            if change["state"] != "finished" || spaces != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn wait_for_embedding(&self, member: usize, state: &str) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            let change: Value = self.get(member, "embedding-change").await?;
            if change["state"] == state {
                return Ok(());
            }
            if Instant::now() > end {
                bail!("the change of the embedding model is not {state}: {change}");
            }
            sleep(PAUSE).await;
        }
    }

    /// What is kept for longer than it should.
    pub(crate) async fn overdue(&self) -> anyhow::Result<Vec<String>> {
        let mut owner = PgConnection::connect(&self.database_url).await?;
        let mut found = Vec::new();
        for (what, days, query) in OVERDUE {
            let days = i32::try_from(days)?;
            let rows: i64 = sqlx::query_scalar(query).bind(days).fetch_one(&mut owner).await?;
            if rows > 0 {
                found.push(format!("{rows} {what} are older than {days} days"));
            }
        }
        Ok(found)
    }
}
