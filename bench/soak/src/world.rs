//! The installation of one run: a database, a provider, the processes, and keys of a few projects.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::process::Launch;
use reflect_scripted_provider::{Script, ScriptedProvider};
use reflect_store::{MigrationSettings, Store};
use sqlx::{Connection, Executor, PgConnection};
use tokio::task::JoinSet;

use crate::arguments::Arguments;
use crate::client::{Client, Log, Surroundings, Tenant};
use crate::drain::{Drained, drain};
use crate::fleet::{Fleet, Plan};
use crate::havoc::{Done, Havoc};
use crate::provider;

/// How a mutant's installation differs from the real one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    /// SQL that is run on the database first.
    pub(crate) statements: &'static [&'static str],
    /// Further arguments of every process.
    pub(crate) arguments: Vec<String>,
}

/// All parts of the installation.
pub(crate) struct World {
    pub(crate) database_url: String,
    pub(crate) fleet: Fleet,
    pub(crate) provider: ScriptedProvider,
    pub(crate) tenants: Vec<Tenant>,
    pub(crate) log: PathBuf,
    /// Outlives a round of load, like memories.
    surroundings: Option<Arc<Surroundings>>,
    rounds: u64,
}

impl World {
    pub(crate) async fn create(
        arguments: &Arguments,
        cluster: &Cluster,
        name: &str,
        difference: &Difference,
    ) -> anyhow::Result<Self> {
        let database_url = cluster.database(name).await?;
        let layout =
            MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 30 };
        Store::migrate(&layout).await?;
        let mut owner = PgConnection::connect(&database_url).await?;
        for statement in difference.statements {
            owner.execute(*statement).await?;
        }
        let binary = arguments.binary.clone();
        let log = binary.with_file_name(format!("soak-{name}.log"));
        let _ = std::fs::remove_file(&log);
        let tenants = tenants(arguments, &database_url, &binary, &log).await?;
        let provider = ScriptedProvider::start(provider::good()).await?;
        let plan = Plan {
            binary,
            database_url: database_url.clone(),
            servers: arguments.servers,
            workers: arguments.workers,
            arguments: [process_arguments(arguments, &provider), difference.arguments.clone()].concat(),
            log: log.clone(),
        };
        let fleet = Fleet::start(&plan).await?;
        Ok(Self { database_url, fleet, provider, tenants, log, surroundings: None, rounds: 0 })
    }

    /// Runs clients while faults are injected.
    pub(crate) async fn endure(
        &mut self,
        arguments: &Arguments,
        havoc: &Havoc,
        script: Script,
        pause: Duration,
    ) -> anyhow::Result<(Log, Done)> {
        self.provider.set(script);
        let surroundings = self.surroundings.get_or_insert_with(|| {
            Arc::new(Surroundings::new(self.fleet.servers(), self.tenants.clone(), pause))
        });
        surroundings.stop.store(false, Ordering::Relaxed);
        let mut clients = JoinSet::new();
        for number in 0..arguments.clients {
            clients.spawn(Client::new(surroundings.clone(), number, self.rounds, arguments.seed).work());
        }
        self.rounds += 1;
        let done = havoc.wreak(&self.fleet, &self.database_url).await;
        surroundings.stop.store(true, Ordering::Relaxed);
        let mut log = Log::default();
        clients.join_all().await.into_iter().for_each(|client| log.absorb(client));
        Ok((log, done?))
    }

    /// Runs without faults until no work is left.
    pub(crate) async fn drain(&self, longest: Duration) -> anyhow::Result<Drained> {
        self.provider.set(provider::good());
        self.fleet.wait_until_ready().await?;
        drain(&self.database_url, longest).await
    }
}

async fn tenants(
    arguments: &Arguments,
    database_url: &str,
    binary: &std::path::Path,
    log: &std::path::Path,
) -> anyhow::Result<Vec<Tenant>> {
    let launch = Launch {
        binary: binary.to_owned(),
        database_url: database_url.to_owned(),
        port: free_port()?,
        arguments: vec![],
        log: log.to_owned(),
    };
    let mut tenants = Vec::new();
    for number in 1..=arguments.projects {
        let slug = format!("project-{number}");
        let key = launch.key(&slug).await?;
        tenants.push(Tenant { slug, key });
    }
    Ok(tenants)
}

fn process_arguments(arguments: &Arguments, provider: &ScriptedProvider) -> Vec<String> {
    let connections = ["--database-connections".to_owned(), arguments.connections.to_string()];
    [connections.to_vec(), provider.server_arguments()].concat()
}
