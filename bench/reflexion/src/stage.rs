//! A new database, the real server with a real embedder, and projects with keys.

use std::path::{Path, PathBuf};

use anyhow::Context;
use reflect_bench_ingest::cluster::free_port;
use reflect_bench_ingest::process::{Launch, Server};
use reflect_sdk::{MemoryQuery, ReflectClient, api};
use reflect_store::{MigrationSettings, Store};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection};
use uuid::Uuid;

use crate::arguments::Wish;

/// The environment of the checks.
pub(crate) struct Stage {
    owner: PgConnectOptions,
    database: String,
    launch: Launch,
    server: Server,
    folder: PathBuf,
}

/// A project of the server.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) client: ReflectClient,
    pub(crate) key: String,
}

impl Stage {
    pub(crate) async fn build(wish: &Wish) -> anyhow::Result<Self> {
        let owner: PgConnectOptions = wish.database_url.parse()?;
        let database = format!("reflexion_{}", Uuid::now_v7().simple());
        PgConnection::connect_with(&owner)
            .await
            .context("no Postgres answers; `just db` starts one")?
            .execute(AssertSqlSafe(format!("create database {database}")))
            .await?;
        let folder = std::env::temp_dir().join(&database);
        std::fs::create_dir_all(&folder)?;
        let url = owner.clone().database(&database).to_url_lossy().to_string();
        let layout = MigrationSettings { url: url.clone().into(), hash_partitions: 4, partition_days: 30 };
        Store::migrate(&layout).await?;
        let launch = Launch {
            binary: wish.binary.clone(),
            database_url: url,
            port: free_port()?,
            arguments: arguments(&wish.embedder, &wish.onnxruntime),
            log: folder.join("server.log"),
        };
        let server = launch.start().await?;
        Ok(Self { owner, database, launch, server, folder })
    }

    pub(crate) async fn project(&self, name: &str) -> anyhow::Result<Project> {
        let key = self.launch.key(name).await?;
        let address = format!("http://{}", self.server.address);
        let client = ReflectClient::builder().base_url(address).api_key(&key).project_id(name).build()?;
        Ok(Project { client, key })
    }

    /// A folder for one run.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Stops the server and removes its data.
    pub(crate) async fn clear(self) -> anyhow::Result<()> {
        self.server.kill().await?;
        let drop = format!("drop database {} with (force)", self.database);
        PgConnection::connect_with(&self.owner).await?.execute(AssertSqlSafe(drop)).await?;
        std::fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}

impl Project {
    /// All memories of the project.
    pub(crate) async fn memories(&self) -> anyhow::Result<Vec<api::Memory>> {
        let all = MemoryQuery::new("anything").limit(100).similarity_threshold(-1.0);
        Ok(self.client.memories.query(all).await?.memories)
    }

    /// The traces of a run, in the order of its trials.
    pub(crate) async fn traces(&self, run_id: &str) -> anyhow::Result<Vec<api::Trace>> {
        let mut traces = self.client.traces.list(None).await?;
        traces.retain(|trace| trace.metadata["run_id"] == run_id);
        traces.sort_by_key(|trace| (trace.metadata["trial"].as_u64(), trace.id));
        Ok(traces)
    }
}

fn arguments(embedder: &Path, onnxruntime: &Path) -> Vec<String> {
    let (embedder, onnxruntime) = (embedder.display().to_string(), onnxruntime.display().to_string());
    // A busy machine must not cause a fallback to keyword search.
    let pairs = [
        ["--embedder", "local"],
        ["--embedder-folder", &embedder],
        ["--onnxruntime", &onnxruntime],
        ["--question-ms", "30000"],
    ];
    pairs.concat().into_iter().map(str::to_owned).collect()
}
