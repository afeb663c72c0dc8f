//! The load: clients of the soak run, which log what was acknowledged, and steady retrievals and recordings, whose answers
//! are counted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::ensure;
use reflect_bench_ingest::http::{Answer, Connection};
use reflect_soak::client::{Client, Log, Surroundings, Tenant};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

const CLIENTS: u64 = 4;
/// The longest pause of a client between two calls.
const PAUSE: Duration = Duration::from_millis(100);
/// The pause between two steady requests.
const STEADY: Duration = Duration::from_millis(40);
/// How long everything may take to work again after a fault, or to fail after its begin.
const PATIENCE: Duration = Duration::from_secs(120);
/// The length of the text of a recorded run. Long enough that runs need new pages all the time.
const TEXT: usize = 3_000;

/// What a steady request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Queries memories.
    Retrieve,
    /// Records a run.
    Record,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retrieve => "retrievals",
            Self::Record => "recordings",
        })
    }
}

/// A steady request.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) kind: Kind,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    /// `None` without an answer.
    pub(crate) status: Option<u16>,
    pub(crate) has_retry_after: bool,
    /// The id of the acknowledged run.
    pub(crate) stored: Option<Uuid>,
}

/// All steady requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<Sample>);

/// How often each status was the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Statuses(pub(crate) BTreeMap<Option<u16>, usize>);

/// Clients at work.
pub(crate) struct Load {
    pub(crate) surroundings: Arc<Surroundings>,
    pub(crate) clients: JoinSet<Log>,
    pub(crate) probes: JoinSet<Samples>,
    last: Arc<Mutex<Last>>,
}

/// The start of the last request of each kind, by whether it was successful.
type Last = BTreeMap<(Kind, bool), Instant>;

impl Load {
    pub(crate) fn start(addresses: Vec<String>, tenants: &[Tenant], round: u64, seed: u64) -> Self {
        let surroundings = Arc::new(Surroundings::new(addresses.clone(), tenants.to_vec(), PAUSE));
        let mut clients = JoinSet::new();
        for number in 0..CLIENTS {
            clients.spawn(Client::new(surroundings.clone(), number, round, seed).work());
        }
        let last = Arc::<Mutex<Last>>::default();
        let mut probes = JoinSet::new();
        for kind in [Kind::Retrieve, Kind::Record] {
            let probe = Probe::new(kind, &addresses, &tenants[0]);
            probes.spawn(probe.work(surroundings.clone(), last.clone()));
        }
        Self { surroundings, clients, probes, last }
    }

    /// Waits until a request of each kind that began after this time has succeeded. Returns how long that took.
    pub(crate) async fn recovered(&self, since: Instant) -> anyhow::Result<Duration> {
        for kind in [Kind::Retrieve, Kind::Record] {
            self.succeeds(kind, since).await?;
        }
        Ok(since.elapsed())
    }

    /// Waits until a request of this kind that began after this time has succeeded.
    pub(crate) async fn succeeds(&self, kind: Kind, since: Instant) -> anyhow::Result<()> {
        self.wait_for(kind, true, since).await
    }

    /// Waits until a request of this kind that began after this time has failed.
    pub(crate) async fn fails(&self, kind: Kind, since: Instant) -> anyhow::Result<()> {
        self.wait_for(kind, false, since).await
    }

    async fn wait_for(&self, kind: Kind, success: bool, since: Instant) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let last =
                self.last.lock().unwrap_or_else(PoisonError::into_inner).get(&(kind, success)).copied();
            if last.is_some_and(|at| at > since) {
                return Ok(());
            }
            let what = if success { "succeeded" } else { "failed" };
            ensure!(began.elapsed() < PATIENCE, "no {kind:?} {what} within {} s", PATIENCE.as_secs());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Sample {
    pub(crate) fn is_success(&self) -> bool {
        self.status.is_some_and(is_success)
    }
}

impl Samples {
    pub(crate) fn absorb(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The ids of runs that were acknowledged.
    pub(crate) fn stored(&self) -> impl Iterator<Item = Uuid> + '_ {
        self.0.iter().filter_map(|sample| sample.stored)
    }

    /// The requests of this kind that began and ended in this time.
    pub(crate) fn between(&self, kind: Kind, from: Instant, to: Instant) -> impl Iterator<Item = &Sample> {
        let inside =
            move |sample: &&Sample| sample.kind == kind && sample.began >= from && sample.ended <= to;
        self.0.iter().filter(inside)
    }

    /// How often each status was the answer, in this time.
    pub(crate) fn statuses(&self, kind: Kind, from: Instant, to: Instant) -> Statuses {
        let mut counts = BTreeMap::new();
        self.between(kind, from, to).for_each(|sample| *counts.entry(sample.status).or_default() += 1);
        Statuses(counts)
    }
}

impl Statuses {
    /// The sum of both.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|(status, count)| *self.0.entry(*status).or_default() += count);
        self
    }

    /// The number of answers.
    pub(crate) fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The number of successful answers.
    pub(crate) fn successes(&self) -> usize {
        self.0.iter().filter(|(status, _)| status.is_some_and(is_success)).map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(status, count): (&Option<u16>, &usize)| match status {
            Some(status) => format!("{count} × {status}"),
            None => format!("{count} without an answer"),
        };
        write!(f, "{}", self.0.iter().map(one).collect::<Vec<_>>().join(", "))
    }
}

const fn is_success(status: u16) -> bool {
    status >= 200 && status < 300
}

/// Records so many runs at the same time, each on a connection of its own.
pub(crate) async fn burst(addresses: &[String], tenant: &Tenant, runs: usize) -> Samples {
    let mut requests = JoinSet::new();
    for number in 0..runs {
        let mut probe = Probe::new(Kind::Record, addresses, tenant);
        requests.spawn(async move { probe.send(number).await });
    }
    Samples(requests.join_all().await)
}

/// Sends one kind of request, to each server in turn.
struct Probe {
    kind: Kind,
    addresses: Vec<String>,
    tenant: Tenant,
    connections: Vec<Option<Connection>>,
}

impl Probe {
    fn new(kind: Kind, addresses: &[String], tenant: &Tenant) -> Self {
        let connections = addresses.iter().map(|_| None).collect();
        Self { kind, addresses: addresses.to_vec(), tenant: tenant.clone(), connections }
    }

    /// Sends requests until it is stopped.
    async fn work(mut self, surroundings: Arc<Surroundings>, last: Arc<Mutex<Last>>) -> Samples {
        let mut samples = Samples::default();
        let mut number = 0;
        while !surroundings.stop.load(Ordering::Relaxed) {
            let sample = self.send(number).await;
            let key = (self.kind, sample.is_success());
            last.lock().unwrap_or_else(PoisonError::into_inner).insert(key, sample.began);
            samples.0.push(sample);
            number += 1;
            tokio::time::sleep(STEADY).await;
        }
        samples
    }

    async fn send(&mut self, number: usize) -> Sample {
        let began = Instant::now();
        let answer = self.ask(number).await.ok();
        self.sample(began, answer.as_ref())
    }

    fn sample(&self, began: Instant, answer: Option<&Answer>) -> Sample {
        let status = answer.map(|answer| answer.status);
        let body: Value =
            answer.map(|answer| serde_json::from_slice(&answer.body).unwrap_or_default()).unwrap_or_default();
        let stored = body["trace_id"].as_str().and_then(|id| id.parse().ok());
        Sample {
            kind: self.kind,
            began,
            ended: Instant::now(),
            status,
            has_retry_after: answer.is_some_and(|answer| answer.header("retry-after").is_some()),
            stored: stored.filter(|_| status.is_some_and(is_success)),
        }
    }

    /// Sends once. A connection is kept only after an answer.
    async fn ask(&mut self, number: usize) -> anyhow::Result<Answer> {
        let server = number % self.addresses.len();
        let mut connection = match self.connections[server].take() {
            Some(connection) => connection,
            None => Connection::open(&self.addresses[server]).await?,
        };
        let (path, body) = match self.kind {
            Kind::Retrieve => ("memory/query", json!({ "task": "Refund order 1", "limit": 5 })),
            Kind::Record => ("traces", run(number)),
        };
        let path = format!("/v1/projects/{}/{path}", self.tenant.slug);
        let headers = format!("authorization: Bearer {}\r\n", self.tenant.key);
        let answer = connection.post(&path, &headers, body.to_string().as_bytes()).await?;
        self.connections[server] = Some(connection);
        Ok(answer)
    }
}

/// A run whose text cannot be compressed well.
fn run(number: usize) -> Value {
    let text: String = (0..TEXT / 32).map(|_| Uuid::now_v7().simple().to_string()).collect();
    json!({
        "task": format!("Count the spoons {number}"),
        "trajectory": [{ "role": "assistant", "content": text }],
        "metadata": { "run": Uuid::now_v7().to_string() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_kind_and_time() {
        let start = Instant::now();
        let sample = |kind, second, status| Sample {
            kind,
            began: start + Duration::from_secs(second),
            ended: start + Duration::from_secs(second + 1),
            status,
            has_retry_after: false,
            stored: None,
        };
        let samples = Samples(vec![
            sample(Kind::Retrieve, 0, Some(200)),
            sample(Kind::Retrieve, 2, Some(503)),
            sample(Kind::Retrieve, 2, None),
            sample(Kind::Retrieve, 4, Some(200)),
            sample(Kind::Record, 2, Some(202)),
        ]);

        let statuses = samples.statuses(Kind::Retrieve, start, start + Duration::from_secs(3));

        assert_eq!((statuses.total(), statuses.successes()), (3, 1));
        assert_eq!(statuses.to_string(), "1 without an answer, 1 × 200, 1 × 503");
    }
}
