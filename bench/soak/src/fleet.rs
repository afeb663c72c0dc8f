//! The processes of an installation. A process that ends is restarted immediately.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::ensure;
use reflect_bench_ingest::cluster::free_port;
use reflect_bench_ingest::http::Connection;
use reflect_bench_ingest::process::Launch;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The delay before a restart if a process exited, for example because the database is not reachable.
const PAUSE: Duration = Duration::from_millis(100);
/// How long processes may take to become ready if none is killed.
const PATIENCE: Duration = Duration::from_secs(60);

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Answers requests.
    Server,
    /// Learns.
    Worker,
}

/// The process in a slot.
#[derive(Debug, Clone, Copy)]
struct Running {
    process: u32,
    since: Instant,
}

/// One slot of the fleet. Its process may change.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) role: Role,
    pub(crate) address: String,
    running: Arc<Mutex<Running>>,
    /// Stopped, or recently continued: must not be killed.
    pub(crate) asleep: AtomicBool,
    kill: mpsc::Sender<()>,
}

/// The configuration of a fleet.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) binary: PathBuf,
    pub(crate) database_url: String,
    pub(crate) servers: usize,
    pub(crate) workers: usize,
    /// Further arguments of every process.
    pub(crate) arguments: Vec<String>,
    pub(crate) log: PathBuf,
}

/// All processes. They end when it is dropped.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) places: Vec<Place>,
    _keepers: JoinSet<()>,
}

impl Fleet {
    /// Starts all processes and waits until they are ready.
    pub(crate) async fn start(plan: &Plan) -> anyhow::Result<Self> {
        let (mut places, mut keepers) = (Vec::new(), JoinSet::new());
        for number in 0..plan.servers + plan.workers {
            let (role, name) =
                if number < plan.servers { (Role::Server, "api") } else { (Role::Worker, "worker") };
            let launch = Launch {
                binary: plan.binary.clone(),
                database_url: plan.database_url.clone(),
                port: free_port()?,
                arguments: [&["--role".to_owned(), name.to_owned()][..], &plan.arguments].concat(),
                log: plan.log.clone(),
            };
            let (kill, killed) = mpsc::channel(1);
            let running = Arc::new(Mutex::new(Running { process: 0, since: Instant::now() }));
            let address = format!("127.0.0.1:{}", launch.port);
            keepers.spawn(keep(launch, running.clone(), killed));
            places.push(Place { role, address, running, asleep: AtomicBool::new(false), kill });
        }
        let fleet = Self { places, _keepers: keepers };
        fleet.wait_until_ready().await?;
        Ok(fleet)
    }

    pub(crate) async fn wait_until_ready(&self) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        for place in &self.places {
            while !is_ready(&place.address).await {
                ensure!(Instant::now() < end, "{:?} {} did not get ready", place.role, place.address);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }

    /// The addresses of the servers.
    pub(crate) fn servers(&self) -> Vec<String> {
        self.with(Role::Server).map(|place| place.address.clone()).collect()
    }

    pub(crate) fn with(&self, role: Role) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.role == role)
    }
}

impl Place {
    /// The current or last process of this slot.
    pub(crate) fn process(&self) -> u32 {
        self.running().process
    }

    /// The time since its start.
    pub(crate) fn age(&self) -> Duration {
        self.running().since.elapsed()
    }

    fn running(&self) -> Running {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process with SIGKILL. The next one starts immediately.
    pub(crate) async fn kill(&self) {
        // The supervisor task lives as long as the fleet.
        let _ = self.kill.send(()).await;
    }
}

/// Sends a signal with a shell, because the standard library has no safe call for it.
pub(crate) async fn signal(process: u32, name: &str) -> anyhow::Result<()> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("kill -{name} {process}")).stderr(Stdio::null());
    let status = shell.status().await?;
    ensure!(status.success(), "SIG{name} could not be sent to process {process}");
    Ok(())
}

async fn keep(launch: Launch, running: Arc<Mutex<Running>>, mut killed: mpsc::Receiver<()>) {
    loop {
        let Ok(mut server) = launch.spawn() else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        *running.lock().unwrap_or_else(PoisonError::into_inner) =
            Running { process: server.id(), since: Instant::now() };
        tokio::select! {
            _ = server.ended() => tokio::time::sleep(PAUSE).await,
            order = killed.recv() => {
                let _ = server.kill().await;
                if order.is_none() {
                    return;
                }
            }
        }
    }
}

async fn is_ready(address: &str) -> bool {
    let Ok(mut connection) = Connection::open(address).await else { return false };
    connection.get("/ready", "").await.is_ok_and(|answer| answer.status == 200)
}
