//! Watches a cluster and the servers in front of it: at most one member accepts writes, and no server says that it is ready to
//! write while none does.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reflect_bench_ingest::http::Connection;
use sqlx::{Connection as _, PgConnection};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::cluster::PatroniCluster;

const POLL: Duration = Duration::from_millis(25);
/// How long a member or a server may take to answer.
const ANSWER: Duration = Duration::from_millis(500);
/// Servers use the result of a probe again for 100 ms, and the machine is busy.
const PROBE_AGE: Duration = Duration::from_millis(500);
const ACCEPTS_WRITES: &str =
    "select not pg_is_in_recovery() and not current_setting('transaction_read_only')::bool";

/// What was seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// How often two members accepted writes at the same time.
    pub(crate) two_primaries: usize,
    /// How often a server said that it is ready to write while no member accepted writes.
    pub(crate) wrongly_ready: usize,
    /// How often a server said so while one did.
    pub(crate) ready: usize,
    /// How often a server said that it is not ready to write.
    pub(crate) not_ready: usize,
}

/// A watch that runs.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    two: Arc<AtomicBool>,
    task: JoinSet<Seen>,
}

impl Watch {
    /// Watches all members, and these servers.
    pub(crate) fn start(cluster: &PatroniCluster, servers: Vec<String>) -> Self {
        let members = cluster.members.iter().map(|member| (member.url("postgres"), None)).collect();
        let (stop, two, mut task) =
            (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default(), JoinSet::new());
        let watcher = Watcher { members, servers, none_since: None, seen: Seen::default() };
        task.spawn(watcher.work(stop.clone(), two.clone()));
        Self { stop, two, task }
    }

    /// Whether two members have accepted writes at the same time.
    pub(crate) fn has_seen_two(&self) -> bool {
        self.two.load(Ordering::Relaxed)
    }

    /// Ends the watch.
    pub(crate) async fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        self.task.join_all().await.into_iter().next().unwrap_or_default()
    }
}

struct Watcher {
    /// URL and connection of each member.
    members: Vec<(String, Option<PgConnection>)>,
    servers: Vec<String>,
    /// Since when no member accepts writes.
    none_since: Option<Instant>,
    seen: Seen,
}

impl Watcher {
    async fn work(mut self, stop: Arc<AtomicBool>, two: Arc<AtomicBool>) -> Seen {
        while !stop.load(Ordering::Relaxed) {
            let primaries = self.primaries().await;
            // Asked again, because one may have taken over from the other between the two questions.
            if primaries.len() > 1 && self.primaries().await.len() > 1 {
                self.seen.two_primaries += 1;
                two.store(true, Ordering::Relaxed);
            }
            let began = Instant::now();
            let long_none = self.none_since.is_some_and(|since| since.elapsed() > PROBE_AGE);
            for server in self.servers.clone() {
                match is_ready_to_write(&server).await {
                    true if !long_none => self.seen.ready += 1,
                    // A primary may have come in the meantime.
                    true if self.primaries().await.is_empty()
                        && self.none_since.is_some_and(|at| at < began) =>
                    {
                        self.seen.wrongly_ready += 1;
                    }
                    true => {}
                    false => self.seen.not_ready += 1,
                }
            }
            sleep(POLL).await;
        }
        self.seen
    }

    /// The members that accept writes.
    async fn primaries(&mut self) -> Vec<usize> {
        let (mut primaries, mut known) = (Vec::new(), true);
        for (number, (url, connection)) in self.members.iter_mut().enumerate() {
            match timeout(ANSWER, accepts_writes(url, connection)).await.unwrap_or(None) {
                Some(true) => primaries.push(number),
                Some(false) => {}
                None => (*connection, known) = (None, false),
            }
        }
        match primaries.is_empty() && known {
            true => self.none_since = self.none_since.or_else(|| Some(Instant::now())),
            false => self.none_since = None,
        }
        primaries
    }
}

/// Whether a member accepts writes. `None` if that is not known: its connection broke, or it is too busy.
async fn accepts_writes(url: &str, connection: &mut Option<PgConnection>) -> Option<bool> {
    let open = match connection.take() {
        Some(open) => open,
        None => match PgConnection::connect(url).await {
            Ok(open) => open,
            Err(error) => return is_down(&error).then_some(false),
        },
    };
    sqlx::query_scalar(ACCEPTS_WRITES).fetch_one(connection.insert(open)).await.ok()
}

/// Whether nothing listens there, or a server that starts or stops.
fn is_down(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        sqlx::Error::Database(refusal) => refusal.code().is_some_and(|code| code.starts_with("57P")),
        _ => false,
    }
}

async fn is_ready_to_write(server: &str) -> bool {
    let asked = async { Connection::open(server).await?.get("/ready/write", "").await };
    matches!(timeout(ANSWER, asked).await, Ok(Ok(answer)) if answer.status == 200)
}
