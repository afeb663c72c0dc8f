//! One installation: a database, a provider, servers and workers, and the load of clients. A fault is injected between
//! [`Stage::load`] and [`Stage::settle`].

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::free_port;
use reflect_bench_ingest::http::Connection as HttpConnection;
use reflect_bench_ingest::memory::process_kilobytes;
use reflect_bench_ingest::process::{Launch, Server};
use reflect_scripted_provider::{Script, ScriptedProvider};
use reflect_soak::audit::{Invariant, Violation, audit};
use reflect_soak::client::{Log, Tenant};
use reflect_soak::drain::drain;
use reflect_soak::provider::{self, Manners};
use reflect_store::{MigrationSettings, Store};
use reflect_types::Scope;
use serde_json::json;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, Executor, PgConnection};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::Arguments;
use crate::fault::Report;
use crate::load::{Load, Samples};
use crate::network::{Link, Receiver};
use crate::proxy::Proxy;

/// How long events may wait for their delivery after the load.
const DELIVERY: Duration = Duration::from_secs(60);
/// The events that the webhook receives.
const EVENTS: [&str; 3] = ["review.needed", "memory.created", "memory.quarantined"];
const DUE_DELIVERIES: &str =
    "update webhook_delivery set next_at = now() where state = 0 and next_at > now()";
const DUE_ENDPOINTS: &str =
    "update webhook_queue set due_at = now(), paused_until = null where due_at > now() and held_by is null";

/// The processes of an installation.
#[derive(Debug, Clone)]
pub(crate) struct Processes {
    pub(crate) servers: usize,
    pub(crate) workers: usize,
    /// Further arguments of every process.
    pub(crate) arguments: Vec<String>,
    /// The database as processes reach it, if not directly.
    pub(crate) database_url: Option<String>,
    /// Where a proxy is put.
    pub(crate) link: Option<Link>,
    /// Environment variables of the first worker.
    pub(crate) first_worker_variables: Vec<(&'static str, String)>,
}

impl Default for Processes {
    fn default() -> Self {
        Self {
            servers: 2,
            workers: 1,
            arguments: Vec::new(),
            database_url: None,
            link: None,
            first_worker_variables: Vec::new(),
        }
    }
}

/// An installation. Its processes end when it is dropped.
pub(crate) struct Stage {
    /// The database as this program reaches it.
    pub(crate) database_url: String,
    pub(crate) provider: ScriptedProvider,
    pub(crate) tenants: Vec<Tenant>,
    pub(crate) servers: Vec<Server>,
    pub(crate) workers: Vec<Server>,
    /// Where clients find servers, or proxies of them.
    pub(crate) client_addresses: Vec<String>,
    /// The proxies on the link of [`Processes`].
    pub(crate) proxies: Vec<Proxy>,
    /// The receiver of webhooks, if that is the link.
    pub(crate) receiver: Option<Receiver>,
    pub(crate) log_file: PathBuf,
    /// The addresses of proxies, as processes know them.
    process_database_url: Option<String>,
    process_provider_url: Option<String>,
    binary: PathBuf,
    log: Log,
    samples: Samples,
    rounds: u64,
    seed: u64,
}

/// What is left when all work is done.
pub(crate) struct Outcome {
    pub(crate) acknowledged: u64,
    pub(crate) violations: Vec<Violation>,
    /// What the steady requests got.
    pub(crate) samples: Samples,
}

impl Outcome {
    /// Violations that mean one call with two effects.
    pub(crate) fn doubled(&self) -> u64 {
        self.violations.iter().filter(|violation| is_doubled(violation.of)).count() as u64
    }

    /// All other violations.
    pub(crate) fn lost(&self) -> u64 {
        self.violations.len() as u64 - self.doubled()
    }

    /// The first violation of one of these invariants.
    pub(crate) fn shows(&self, invariants: &[Invariant]) -> Option<&Violation> {
        self.violations.iter().find(|violation| invariants.contains(&violation.of))
    }

    /// The beginning of a report.
    pub(crate) fn report(&self) -> Report {
        Report {
            acknowledged: self.acknowledged,
            lost: self.lost(),
            doubled: self.doubled(),
            ..Report::default()
        }
    }
}

fn is_doubled(invariant: Invariant) -> bool {
    matches!(invariant, Invariant::I4 | Invariant::I7)
}

impl Stage {
    /// Migrates the empty database, applies these statements, starts the provider, and creates two projects with keys. No
    /// process is started. `name` is part of the name of the log file.
    pub(crate) async fn prepare(
        arguments: &Arguments,
        name: &str,
        database_url: &str,
        statements: &'static [&'static str],
    ) -> anyhow::Result<Self> {
        let layout =
            MigrationSettings { url: database_url.to_owned().into(), hash_partitions: 4, partition_days: 30 };
        Store::migrate(&layout).await?;
        let mut owner = PgConnection::connect(database_url).await?;
        for statement in statements {
            owner.execute(*statement).await?;
        }
        let log_file = arguments.binary.with_file_name(format!("faults-{name}.log"));
        let _ = std::fs::remove_file(&log_file);
        let mut stage = Self {
            database_url: database_url.to_owned(),
            provider: ScriptedProvider::start(script(arguments.seed)).await?,
            tenants: Vec::new(),
            servers: Vec::new(),
            workers: Vec::new(),
            client_addresses: Vec::new(),
            proxies: Vec::new(),
            receiver: None,
            log_file,
            process_database_url: None,
            process_provider_url: None,
            binary: arguments.binary.clone(),
            log: Log::default(),
            samples: Samples::default(),
            rounds: 0,
            seed: arguments.seed,
        };
        for slug in ["one", "two"] {
            let key = stage.launch(&Processes::default(), "all")?.key(slug).await?;
            stage.tenants.push(Tenant { slug: slug.to_owned(), key });
        }
        Ok(stage)
    }

    /// Starts processes and waits until they are ready.
    pub(crate) async fn start(&mut self, processes: &Processes) -> anyhow::Result<()> {
        self.link(processes.link).await?;
        for _ in 0..processes.servers {
            let server = self.launch(processes, "api")?.start().await?;
            let mut address = server.address.clone();
            if processes.link == Some(Link::Clients) {
                address = self.through_proxy(&address).await?;
            }
            self.client_addresses.push(address);
            self.servers.push(server);
        }
        let first: Vec<(&str, &str)> =
            processes.first_worker_variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for number in 0..processes.workers {
            let variables = if number == 0 { first.as_slice() } else { &[] };
            self.workers.push(self.launch(processes, "worker")?.start_with(variables).await?);
        }
        if processes.link == Some(Link::Webhooks) {
            self.create_webhook().await?;
        }
        Ok(())
    }

    /// Puts a proxy on a link that processes learn of at their start.
    async fn link(&mut self, link: Option<Link>) -> anyhow::Result<()> {
        match link {
            Some(Link::Database) => {
                let options: PgConnectOptions = self.database_url.parse()?;
                let own = format!("{}:{}", options.get_host(), options.get_port());
                let proxy = self.through_proxy(&own).await?;
                self.process_database_url = Some(self.database_url.replace(&own, &proxy));
            }
            Some(Link::Provider) => {
                let proxy = self.through_proxy(self.provider.url().trim_start_matches("http://")).await?;
                self.process_provider_url = Some(format!("http://{proxy}"));
            }
            Some(Link::Webhooks) => self.receiver = Some(Receiver::start().await?),
            Some(Link::Clients) | None => {}
        }
        Ok(())
    }

    /// Starts a proxy and returns its address.
    async fn through_proxy(&mut self, target: &str) -> anyhow::Result<String> {
        let proxy = Proxy::start(target.to_owned()).await?;
        let address = proxy.address.to_string();
        self.proxies.push(proxy);
        Ok(address)
    }

    /// Lets a webhook of the first project receive events.
    async fn create_webhook(&mut self) -> anyhow::Result<()> {
        let receiver = self.receiver.as_ref().context("there is no receiver")?.address.clone();
        let proxy = self.through_proxy(&receiver).await?;
        let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        let slug = self.tenants[0].slug.clone();
        let key = self.launch(&Processes::default(), "all")?.key_with_scopes(&slug, &scopes).await?;
        let body = json!({ "url": format!("http://{proxy}/events"), "events": EVENTS }).to_string();
        let headers = format!("authorization: Bearer {key}\r\n");
        let mut connection = HttpConnection::open(&self.servers[0].address).await?;
        let made =
            connection.post(&format!("/v1/projects/{slug}/webhooks"), &headers, body.as_bytes()).await?;
        let said = String::from_utf8_lossy(&made.body);
        ensure!(made.status == 201, "no webhook can be made: {} {said}", made.status);
        Ok(())
    }

    /// [`Stage::prepare`] and [`Stage::start`].
    pub(crate) async fn create(
        arguments: &Arguments,
        name: &str,
        database_url: &str,
        processes: &Processes,
    ) -> anyhow::Result<Self> {
        let mut stage = Self::prepare(arguments, name, database_url, &[]).await?;
        stage.start(processes).await?;
        Ok(stage)
    }

    /// How one process is started.
    pub(crate) fn launch(&self, processes: &Processes, role: &str) -> anyhow::Result<Launch> {
        let own = ["--role", role, "--database-connections", "12", "--webhook-networks", "127.0.0.0/8"];
        let mut arguments: Vec<String> = own.into_iter().map(str::to_owned).collect();
        arguments.extend(self.provider_arguments());
        arguments.extend_from_slice(&processes.arguments);
        let database_url = processes.database_url.as_ref().or(self.process_database_url.as_ref());
        Ok(Launch {
            binary: self.binary.clone(),
            database_url: database_url.unwrap_or(&self.database_url).clone(),
            port: free_port()?,
            arguments,
            log: self.log_file.clone(),
        })
    }

    fn provider_arguments(&self) -> Vec<String> {
        let arguments = self.provider.server_arguments().into_iter();
        match &self.process_provider_url {
            Some(url) => arguments.map(|text| text.replace(&self.provider.url(), url)).collect(),
            None => arguments.collect(),
        }
    }

    /// Starts clients, and steady requests whose answers are counted. They work until [`Stage::settle`].
    pub(crate) fn load(&mut self) -> Load {
        let load = Load::start(self.client_addresses.clone(), &self.tenants, self.rounds, self.seed);
        self.rounds += 1;
        load
    }

    /// Adds requests that were sent beside the load.
    pub(crate) fn note(&mut self, samples: Samples) {
        self.samples.absorb(samples);
    }

    /// Stops the clients, waits at most this long until the processes have finished all work, and audits what is left.
    pub(crate) async fn settle(&mut self, load: Load, longest: Duration) -> anyhow::Result<Outcome> {
        load.surroundings.stop.store(true, Ordering::Relaxed);
        self.provider.set(provider::good());
        load.clients.join_all().await.into_iter().for_each(|log| self.log.absorb(log));
        load.probes.join_all().await.into_iter().for_each(|samples| self.samples.absorb(samples));
        ensure!(self.log.acknowledged() > 0, "nothing was acknowledged, so nothing was tested");
        self.ensure_no_process_ended().await?;
        let drained = drain(&self.database_url, longest).await?;
        let mut violations = audit(&self.database_url, &self.log, drained.is_complete()).await?.violations;
        if !drained.is_complete() {
            violations.push(Violation::new(Invariant::I5, format!("{} are left", drained.left)));
        }
        violations.extend(self.lost_samples().await?);
        violations.extend(self.lost_events().await?);
        self.ensure_no_process_ended().await?;
        Ok(Outcome {
            acknowledged: (self.log.acknowledged() + self.samples.stored().count()) as u64,
            violations,
            samples: self.samples.clone(),
        })
    }

    /// Fails if a server or a worker has ended by itself: everything must recover without a restart.
    pub(crate) async fn ensure_no_process_ended(&mut self) -> anyhow::Result<()> {
        for process in self.servers.iter_mut().chain(&mut self.workers) {
            let ended = tokio::time::timeout(Duration::ZERO, process.ended()).await;
            ensure!(ended.is_err(), "a process ended; its log is {}", self.log_file.display());
        }
        Ok(())
    }

    /// Runs of the steady requests that were acknowledged and are not stored exactly once.
    async fn lost_samples(&self) -> anyhow::Result<Vec<Violation>> {
        let acknowledged: Vec<Uuid> = self.samples.stored().collect();
        let mut connection = PgConnection::connect(&self.database_url).await?;
        let stored: Vec<Uuid> = sqlx::query_scalar("select trace_id from trace where trace_id = any($1)")
            .bind(&acknowledged)
            .fetch_all(&mut connection)
            .await?;
        let lost = acknowledged.iter().filter(|trace| !stored.contains(trace));
        let violation =
            |trace: &Uuid| Violation::new(Invariant::I1, format!("acknowledged trace {trace} is not there"));
        Ok(lost.map(violation).collect())
    }

    /// Events that were stored and did not arrive at the receiver. How long a failed delivery waits is not tested here.
    async fn lost_events(&self) -> anyhow::Result<Vec<Violation>> {
        let Some(receiver) = &self.receiver else { return Ok(Vec::new()) };
        let (mut owner, end) = (PgConnection::connect(&self.database_url).await?, Instant::now() + DELIVERY);
        loop {
            owner.execute(DUE_DELIVERIES).await?;
            owner.execute(DUE_ENDPOINTS).await?;
            let waiting: i64 = sqlx::query_scalar("select count(*) from webhook_delivery where state = 0")
                .fetch_one(&mut owner)
                .await?;
            if waiting == 0 || Instant::now() > end {
                break;
            }
            sleep(Duration::from_millis(500)).await;
        }
        let deliveries: Vec<(Uuid, i16)> =
            sqlx::query_as("select event_id, state from webhook_delivery").fetch_all(&mut owner).await?;
        ensure!(!deliveries.is_empty(), "there was no event, so nothing was tested");
        let lost = deliveries.into_iter().filter(|(event, state)| *state != 1 || !receiver.has(*event));
        let violation = |(event, state): (Uuid, i16)| {
            let what = format!("event {event} did not arrive; the state of its delivery is {state}");
            Violation::new(Invariant::I1, what)
        };
        Ok(lost.map(violation).collect())
    }

    /// The most memory that one of the servers or workers has used since its start, in MB.
    pub(crate) fn most_memory(&self) -> anyhow::Result<u64> {
        let mut most = 0;
        for process in self.servers.iter().chain(&self.workers) {
            most = most.max(process_kilobytes(process.id(), "VmHWM")? / 1024);
        }
        Ok(most)
    }
}

/// Some calls are rejected, so that learning is postponed.
fn script(seed: u64) -> Script {
    provider::bad(Manners { busy_share: 0.05, slow_share: 0.0, slow_ms: 0, seed })
}
