//! The clients of servers: those of the soak run, which log what was acknowledged.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reflect_bench_ingest::cluster::free_port;
use reflect_bench_ingest::process::{Launch, Server};
use reflect_scripted_provider::ScriptedProvider;
use reflect_soak::client::{Client, Log, Surroundings, Tenant};
use tokio::task::JoinSet;

/// The longest pause of a client between two calls.
const PAUSE: Duration = Duration::from_millis(60);

/// The processes of one version, and its clients.
pub(crate) struct Installation {
    pub(crate) servers: Vec<Server>,
    surroundings: Arc<Surroundings>,
    clients: JoinSet<Log>,
}

/// How the processes of a version are started.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) binary: PathBuf,
    pub(crate) database_url: String,
    pub(crate) log: PathBuf,
}

impl Version {
    pub(crate) fn new(binary: &Path, database_url: &str, name: &str) -> Self {
        let log = binary.with_file_name(format!("upgrade-{name}.log"));
        Self { binary: binary.to_owned(), database_url: database_url.to_owned(), log }
    }

    pub(crate) fn launch(&self, role: &str, provider: &ScriptedProvider) -> anyhow::Result<Launch> {
        let own = ["--role", role, "--database-connections", "12"].map(str::to_owned);
        Ok(Launch {
            binary: self.binary.clone(),
            database_url: self.database_url.clone(),
            port: free_port()?,
            arguments: [own.to_vec(), provider.server_arguments()].concat(),
            log: self.log.clone(),
        })
    }

    /// Keys of these projects.
    pub(crate) async fn tenants(
        &self,
        provider: &ScriptedProvider,
        slugs: &[&str],
    ) -> anyhow::Result<Vec<Tenant>> {
        let launch = self.launch("api", provider)?;
        let mut tenants = Vec::new();
        for slug in slugs {
            tenants.push(Tenant { slug: (*slug).to_owned(), key: launch.key(slug).await? });
        }
        Ok(tenants)
    }

    /// Starts a server, a worker, and clients of the server. The round is part of the markers of their runs.
    pub(crate) async fn start(
        &self,
        provider: &ScriptedProvider,
        slugs: &[&str],
        (clients, round, seed): (u64, u64, u64),
    ) -> anyhow::Result<Installation> {
        let tenants = self.tenants(provider, slugs).await?;
        let mut servers = Vec::new();
        for role in ["api", "worker"] {
            servers.push(self.launch(role, provider)?.start().await?);
        }
        let addresses = vec![servers[0].address.clone()];
        let surroundings = Arc::new(Surroundings::new(addresses, tenants, PAUSE));
        let mut tasks = JoinSet::new();
        for number in 0..clients {
            tasks.spawn(Client::new(Arc::clone(&surroundings), number, round, seed).work());
        }
        Ok(Installation { servers, surroundings, clients: tasks })
    }
}

impl Installation {
    /// Stops the clients. The processes continue.
    pub(crate) async fn stop_clients(&mut self) -> Log {
        self.surroundings.stop.store(true, Ordering::Relaxed);
        let mut all = Log::default();
        while let Some(log) = self.clients.join_next().await {
            all.absorb(log.unwrap_or_default());
        }
        all
    }
}

/// The calls that failed: answered with an error of the server, or not at all.
pub(crate) fn failures(log: &Log) -> Vec<String> {
    let refused = log.statuses.iter().filter(|(status, _)| **status >= 500 || **status == 429);
    let refused = refused.map(|(status, count)| format!("{count} calls were answered with {status}"));
    let unanswered = log.tallies.iter().filter(|(_, tally)| tally.unanswered > 0);
    let unanswered =
        unanswered.map(|(kind, tally)| format!("{} calls ({kind}) had no answer", tally.unanswered));
    refused.chain(unanswered).collect()
}
