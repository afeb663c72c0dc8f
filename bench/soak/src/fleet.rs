//! The processes of an installation, each kept running: one that ends is started again at once.

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

/// Before a process is started again that ended by itself, as it does when the database is away.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the processes may take to be ready when nobody is after them.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Answers requests.
    Server,
    /// Learns.
    Worker,
}

/// The process of a place.
#[derive(Debug, Clone, Copy)]
struct Running {
    process: u32,
    since: Instant,
}

/// One place of the fleet, whoever runs there.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) role: Role,
    pub(crate) address: String,
    running: Arc<Mutex<Running>>,
    /// Stopped, or just woken: to be left alone.
    pub(crate) asleep: AtomicBool,
    kill: mpsc::Sender<()>,
}

/// What a fleet is made of.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) binary: PathBuf,
    pub(crate) database_url: String,
    pub(crate) servers: usize,
    pub(crate) workers: usize,
    /// More arguments for every process.
    pub(crate) arguments: Vec<String>,
    pub(crate) log: PathBuf,
}

/// All of them. They end when it is dropped.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) places: Vec<Place>,
    _keepers: JoinSet<()>,
}

impl Fleet {
    /// Starts everything and waits until all are ready.
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

    /// Where requests go.
    pub(crate) fn servers(&self) -> Vec<String> {
        self.with(Role::Server).map(|place| place.address.clone()).collect()
    }

    pub(crate) fn with(&self, role: Role) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.role == role)
    }
}

impl Place {
    /// The process that runs here now, or ran here last.
    pub(crate) fn process(&self) -> u32 {
        self.running().process
    }

    /// How long ago it was started.
    pub(crate) fn age(&self) -> Duration {
        self.running().since.elapsed()
    }

    fn running(&self) -> Running {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process with SIGKILL; the next one starts at once.
    pub(crate) async fn kill(&self) {
        // The keeper is there as long as the fleet.
        let _ = self.kill.send(()).await;
    }
}

/// Sends a signal, by the shell: there is no safe call for it in the standard library.
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
