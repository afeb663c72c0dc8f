//! A database, the real binary, and a project.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::free_port;
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_bench_ingest::process::{Launch, Server};
use reflect_store::{MigrationSettings, Store};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, Executor, PgConnection};
use uuid::Uuid;

const SLUG: &str = "week";
/// How long the work of a quarter of a day may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
pub(crate) struct Installation {
    pub(crate) database: PgConnection,
    pub(crate) database_url: String,
    address: String,
    headers: String,
    server: Server,
    admin: PgConnection,
    name: String,
}

impl Installation {
    pub(crate) async fn create(binary: &Path, server: &str, more: &[&str]) -> anyhow::Result<Self> {
        let name = format!("signals-{}", Uuid::now_v7().simple());
        let mut admin = PgConnection::connect(server).await.context("cannot reach the Postgres server")?;
        admin.execute(AssertSqlSafe(format!("create database \"{name}\""))).await?;
        let (address, _) = server.rsplit_once('/').context("the server URL names no database")?;
        let database_url = format!("{address}/{name}");
        let layout =
            MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 30 };
        Store::migrate(&layout).await?;
        let log: PathBuf = binary.with_file_name("signals.log");
        let arguments = more.iter().map(|text| (*text).to_owned()).collect();
        let launch = Launch {
            binary: binary.to_owned(),
            database_url: database_url.clone(),
            port: free_port()?,
            arguments,
            log,
        };
        let key = launch.key(SLUG).await?;
        let started = launch.start().await?;
        let address = started.address.clone();
        let database = PgConnection::connect(&database_url).await?;
        let headers = format!("authorization: Bearer {key}\r\n");
        let mut made = Self { database, database_url, address, headers, server: started, admin, name };
        made.set_blind_share().await?;
        Ok(made)
    }

    /// The project withholds the signals of some runs. Its other rules are the usual ones.
    async fn set_blind_share(&mut self) -> anyhow::Result<()> {
        let settings = json!({ "blind_share": crate::script::BLIND, "matching": "latest", "sources": {} });
        let set = "update project set settings = settings || jsonb_build_object('signals', $1::jsonb) where slug = $2";
        let set = sqlx::query(set).bind(settings).bind(SLUG).execute(&mut self.database).await?;
        ensure!(set.rows_affected() == 1, "the project does not exist");
        Ok(())
    }

    /// A new connection, because the server closes those that are idle while work is done.
    async fn open(&self) -> anyhow::Result<Connection> {
        Connection::open(&self.address).await
    }

    pub(crate) async fn post(&self, rest: &str, body: &Value) -> anyhow::Result<Value> {
        let path = format!("/v1/projects/{SLUG}{rest}");
        let answer = self.open().await?.post(&path, &self.headers, body.to_string().as_bytes()).await?;
        read(&path, &answer)
    }

    pub(crate) async fn get(&self, rest: &str) -> anyhow::Result<Value> {
        let path = format!("/v1/projects/{SLUG}{rest}");
        let answer = self.open().await?.get(&path, &self.headers).await?;
        read(&path, &answer)
    }

    /// Votes with a feedback token, without the key.
    pub(crate) async fn vote(&self, token: &str, outcome: &str) -> anyhow::Result<u16> {
        let body = json!({ "token": token, "outcome": outcome }).to_string();
        Ok(self.open().await?.post("/v1/feedback", "", body.as_bytes()).await?.status)
    }

    /// Waits until nothing is due.
    pub(crate) async fn drain(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            let due = "select count(*) from job where run_at <= now() + interval '1 second'";
            let due: i64 = sqlx::query_scalar(due).fetch_one(&mut self.database).await?;
            if due == 0 {
                return Ok(());
            }
            ensure!(Instant::now() < end, "{due} jobs are still due");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Lets hours pass, in one transaction: what happened is older, and what waits is due earlier.
    pub(crate) async fn advance(&mut self, hours: f64) -> anyhow::Result<()> {
        let mut transaction = self.database.begin().await?;
        for statement in [
            "update signal set occurred_at = occurred_at - make_interval(secs => $1)",
            "update signal_wait set until = until - make_interval(secs => $1)",
            "update job set run_at = run_at - make_interval(secs => $1) where ready_at is null and kind = 3",
        ] {
            sqlx::query(statement).bind(hours * 3600.0).execute(&mut *transaction).await?;
        }
        // The second look of a minute later.
        transaction.execute("update job set run_at = now() where kind = 4").await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Ends the time in which reviews by votes are not learned from.
    pub(crate) async fn end_grace(&mut self) -> anyhow::Result<()> {
        let mut transaction = self.database.begin().await?;
        transaction.execute("update review set learns_at = now() where learns_at > now()").await?;
        transaction.execute("update job set run_at = now() where kind = 0").await?;
        transaction.commit().await?;
        self.drain().await
    }

    /// Removes the database.
    pub(crate) async fn remove(self) -> anyhow::Result<()> {
        let Self { database, server, mut admin, name, .. } = self;
        database.close().await?;
        server.kill().await?;
        admin.execute(AssertSqlSafe(format!("drop database if exists \"{name}\" with (force)"))).await?;
        Ok(())
    }
}

fn read(path: &str, answer: &Answer) -> anyhow::Result<Value> {
    let text = String::from_utf8_lossy(&answer.body);
    ensure!((200..300).contains(&answer.status), "{path}: {} {text}", answer.status);
    Ok(serde_json::from_str(&text)?)
}
