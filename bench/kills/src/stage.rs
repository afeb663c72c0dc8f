//! The installation of one run: a database, a provider, and the load of clients. Processes start and end as the run wants.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, free_port};
use reflect_bench_ingest::http::Connection as HttpConnection;
use reflect_bench_ingest::process::{Launch, Server};
use reflect_scripted_provider::{Script, ScriptedProvider};
use reflect_soak::audit::{Invariant, Violation, audit};
use reflect_soak::client::{Client, Log, Surroundings, Tenant};
use reflect_soak::drain::drain;
use reflect_soak::provider::{self, Manners, RUBRIC, judged};
use reflect_store::{MigrationSettings, Store};
use reflect_types::Scope;
use serde_json::json;
use sqlx::{Connection, Executor, PgConnection};
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

use crate::errands::{Errands, Promises};
use crate::receiver::Receiver;

/// The project whose memories people change, whose runs a judge reviews or arrive as spans, whose data is erased, and whose
/// events a webhook receives.
const ERRANDS: &str = "errands";
const CLIENTS: u64 = 4;
/// The longest pause of a client between two calls.
const PAUSE: Duration = Duration::from_millis(100);
const DRAIN: Duration = Duration::from_secs(120);
/// How long events may wait for their delivery after the drain.
const DELIVERY: Duration = Duration::from_secs(60);
/// The events that the webhook receives.
const EVENTS: [&str; 3] = ["review.needed", "memory.created", "memory.quarantined"];
/// What SIGABRT is.
const ABORTED: i32 = 6;

/// How an installation differs from the product.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    /// SQL that is run on the database first.
    pub(crate) statements: &'static [&'static str],
    /// Further arguments of every process.
    pub(crate) arguments: &'static [&'static str],
}

/// An installation.
pub(crate) struct Stage {
    pub(crate) database_url: String,
    pub(crate) provider: ScriptedProvider,
    pub(crate) launches: Vec<Launch>,
    pub(crate) tenants: Vec<Tenant>,
    pub(crate) errands: Tenant,
    pub(crate) log_file: PathBuf,
    receiver: Receiver,
    log: Log,
    promises: Promises,
    rounds: u64,
    seed: u64,
}

/// Clients at work.
pub(crate) struct Load {
    surroundings: Arc<Surroundings>,
    clients: JoinSet<Log>,
    errands: JoinSet<Promises>,
}

impl Stage {
    /// Creates an installation with addresses for so many processes. None is started.
    pub(crate) async fn create(
        cluster: &Cluster,
        binary: &Path,
        name: &str,
        (processes, seed): (usize, u64),
        difference: &Difference,
    ) -> anyhow::Result<Self> {
        let database_url = cluster.database(name).await?;
        let layout =
            MigrationSettings { url: database_url.clone().into(), hash_partitions: 4, partition_days: 30 };
        Store::migrate(&layout).await?;
        let log_file = binary.with_file_name(format!("kills-{name}.log"));
        let _ = std::fs::remove_file(&log_file);
        let provider = ScriptedProvider::start(script()).await?;
        let own = ["--role", "all", "--database-connections", "12", "--webhook-networks", "127.0.0.0/8"];
        let own = own.iter().chain(difference.arguments);
        let arguments: Vec<String> =
            own.map(|text| (*text).to_owned()).chain(provider.server_arguments()).collect();
        let launch = |port| Launch {
            binary: binary.to_owned(),
            database_url: database_url.clone(),
            port,
            arguments: arguments.clone(),
            log: log_file.clone(),
        };
        let launches =
            (0..processes).map(|_| Ok(launch(free_port()?))).collect::<anyhow::Result<Vec<_>>>()?;
        let mut tenants = Vec::new();
        for slug in ["one", "two"] {
            let key = launches[0].key(slug).await?;
            tenants.push(Tenant { slug: slug.to_owned(), key });
        }
        // Other keys may not erase, and may not manage webhooks.
        let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        let key = launches[0].key_with_scopes(ERRANDS, &scopes).await?;
        let errands = Tenant { slug: ERRANDS.to_owned(), key };
        let mut owner = PgConnection::connect(&database_url).await?;
        let settings = json!({
            "judge": {
                "enabled": true, "rubric": RUBRIC, "sample_rate": 1.0, "blind_share": 0.0, "delay_seconds": 0,
            },
            "otlp": { "grace_seconds": 0, "quiet_seconds": 1 },
        });
        sqlx::query("update project set settings = settings || $1 where slug = $2")
            .bind(settings)
            .bind(ERRANDS)
            .execute(&mut owner)
            .await?;
        let receiver = Receiver::start().await?;
        create_webhook(&launches[0], &errands, &receiver.url).await?;
        for statement in difference.statements {
            owner.execute(*statement).await?;
        }
        let (log, promises) = (Log::default(), Promises::default());
        Ok(Self {
            database_url,
            provider,
            launches,
            tenants,
            errands,
            log_file,
            receiver,
            log,
            promises,
            rounds: 0,
            seed,
        })
    }

    /// Starts clients. They continue while processes end and start.
    pub(crate) fn load(&mut self) -> Load {
        let addresses: Vec<String> =
            self.launches.iter().map(|launch| format!("127.0.0.1:{}", launch.port)).collect();
        let surroundings = Arc::new(Surroundings::new(addresses.clone(), self.tenants.clone(), PAUSE));
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            clients.spawn(Client::new(surroundings.clone(), number, self.rounds, self.seed).work());
        }
        let mut errands = JoinSet::new();
        let seed = self.seed + self.rounds;
        errands.spawn(Errands::new(addresses, self.errands.clone(), seed).work(surroundings.clone()));
        self.rounds += 1;
        Load { surroundings, clients, errands }
    }

    /// Starts one of the processes, and waits until it ends at the place. An error if it does not, within this time.
    pub(crate) async fn end_at(&self, number: usize, place: &str, longest: Duration) -> anyhow::Result<()> {
        let mut server = self.launches[number].spawn_with(&[("REFLECT_CRASH_AT", place)])?;
        let ended = tokio::time::timeout(longest, server.ended()).await;
        let status =
            ended.with_context(|| format!("{place} was not passed within {} s", longest.as_secs()))??;
        ensure!(status.signal() == Some(ABORTED), "the process ended with {status} and not at {place}");
        Ok(())
    }

    /// Starts one of the processes, which does not end by itself.
    pub(crate) async fn start(&self, number: usize) -> anyhow::Result<Server> {
        self.launches[number].start().await
    }

    /// Stops the clients, finishes all work with one process, and audits what is left.
    pub(crate) async fn settle(&mut self, load: Load) -> anyhow::Result<Vec<Violation>> {
        load.surroundings.stop.store(true, Ordering::Relaxed);
        self.provider.set(calm());
        let server = self.start(0).await?;
        load.clients.join_all().await.into_iter().for_each(|log| self.log.absorb(log));
        load.errands.join_all().await.into_iter().for_each(|promises| self.promises.extend(promises));
        ensure!(self.log.acknowledged() > 0, "nothing was acknowledged, so nothing was tested");
        let drained = drain(&self.database_url, DRAIN).await?;
        let mut violations = audit(&self.database_url, &self.log, drained.is_complete()).await?.violations;
        if !drained.is_complete() {
            violations.push(Violation::new(Invariant::I5, format!("{} are left", drained.left)));
        }
        let address = format!("127.0.0.1:{}", self.launches[0].port);
        for promise in &self.promises.answers {
            violations.extend(promise.broken(&address, &self.errands).await?);
        }
        violations.extend(self.lost_span_runs().await?);
        violations.extend(self.lost_events().await?);
        server.kill().await?;
        self.provider.set(script());
        Ok(violations)
    }

    /// Runs of spans that are not stored exactly once.
    async fn lost_span_runs(&self) -> anyhow::Result<Vec<Violation>> {
        let mut connection = PgConnection::connect(&self.database_url).await?;
        let mut violations = Vec::new();
        for run in &self.promises.span_runs {
            let stored: i64 =
                sqlx::query_scalar("select count(*) from trace where metadata ->> 'otel_trace_id' = $1")
                    .bind(run)
                    .fetch_one(&mut connection)
                    .await?;
            if stored != 1 {
                let what = format!("run {run}, whose spans were acknowledged, is stored {stored} times");
                violations.push(Violation::new(Invariant::I1, what));
            }
        }
        Ok(violations)
    }

    /// Events that were stored and did not arrive. Delays are not tested here, nor how long the claim of a process lasts that
    /// died.
    async fn lost_events(&self) -> anyhow::Result<Vec<Violation>> {
        let (mut connection, end) =
            (PgConnection::connect(&self.database_url).await?, Instant::now() + DELIVERY);
        connection
            .execute("update webhook_delivery set next_at = now() where state = 0 and next_at > now()")
            .await?;
        connection
            .execute("update webhook_queue set due_at = now(), paused_until = null where due_at > now()")
            .await?;
        loop {
            let waiting: i64 = sqlx::query_scalar("select count(*) from webhook_delivery where state = 0")
                .fetch_one(&mut connection)
                .await?;
            if waiting == 0 || Instant::now() > end {
                break;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let deliveries: Vec<(Uuid, i16)> =
            sqlx::query_as("select event_id, state from webhook_delivery").fetch_all(&mut connection).await?;
        let lost = deliveries.into_iter().filter(|(event, state)| *state != 1 || !self.receiver.has(*event));
        let violation = |(event, state): (Uuid, i16)| {
            let what = format!("event {event} did not arrive; the state of its delivery is {state}");
            Violation::new(Invariant::I1, what)
        };
        Ok(lost.map(violation).collect())
    }

    /// What the processes wrote to their log.
    pub(crate) fn log_text(&self) -> String {
        let bytes = std::fs::read(&self.log_file).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Lets a webhook of the project receive events.
async fn create_webhook(launch: &Launch, tenant: &Tenant, url: &str) -> anyhow::Result<()> {
    let server = launch.start().await?;
    let body = json!({ "url": url, "events": EVENTS }).to_string();
    let path = format!("/v1/projects/{}/webhooks", tenant.slug);
    let headers = format!("authorization: Bearer {}\r\n", tenant.key);
    let mut connection = HttpConnection::open(&server.address).await?;
    let made = connection.post(&path, &headers, body.as_bytes()).await?;
    let said = String::from_utf8_lossy(&made.body);
    ensure!(made.status == 201, "no webhook can be made: {} {said}", made.status);
    server.kill().await
}

/// Some calls are rejected, so that learning is postponed; the judge has a clear verdict.
fn script() -> Script {
    judged(provider::bad(Manners { busy_share: 0.05, slow_share: 0.0, slow_ms: 0, seed: 1 }))
}

/// Every call gets an answer.
fn calm() -> Script {
    judged(provider::good())
}
