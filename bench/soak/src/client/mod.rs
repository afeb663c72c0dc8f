//! A client: records runs, reviews them, changes its mind, asks for memories, and keeps a log of all it
//! was told. A trace is reviewed by the client that recorded it, so that client knows its verdict.

mod ask;
mod compose;
mod log;
mod record;
mod review;
mod surroundings;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use reflect_bench_ingest::http::Connection;
use reflect_bench_ingest::workload::Workload;

use ask::{Call, Reply};
pub(crate) use log::{Log, SentTrace, Standing, Tally};
pub(crate) use surroundings::{Surroundings, Tenant};

/// Bytes of a trace: small, because this run is about learning and not about bodies.
const TRACE_BYTES: usize = 1_200;

/// One client.
pub(crate) struct Client {
    surroundings: Arc<Surroundings>,
    number: u64,
    /// Which round of load on this database it is, so that markers stay unique.
    round: u64,
    random: SmallRng,
    workload: Workload,
    /// The server it talks to, and the next ones when that does not answer.
    server: usize,
    connection: Option<(usize, Connection)>,
    composed: u64,
    /// Places in the log of the traces whose verdict it may give or change, with their tenants.
    own: Vec<(usize, usize)>,
    log: Log,
}

impl Client {
    pub(crate) fn new(surroundings: Arc<Surroundings>, number: u64, round: u64, seed: u64) -> Self {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(round * 1_000 + number);
        Self {
            surroundings,
            number,
            round,
            random: SmallRng::seed_from_u64(seed),
            workload: Workload::new(seed, TRACE_BYTES),
            server: usize::try_from(number).unwrap_or(0),
            connection: None,
            composed: 0,
            own: Vec::new(),
            log: Log::default(),
        }
    }

    /// Works until told to stop, and says what it knows.
    pub(crate) async fn work(mut self) -> Log {
        while !self.surroundings.stop.load(Ordering::Relaxed) {
            self.one_step().await;
            let longest = u64::try_from(self.surroundings.pause.as_millis()).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(self.random.random_range(0..=longest))).await;
        }
        self.log
    }

    async fn one_step(&mut self) {
        let tenant = self.random.random_range(0..self.surroundings.tenants.len());
        match self.random.random_range(0..100) {
            0..20 => self.record(tenant, record::With::Review).await,
            20..30 => self.record(tenant, record::With::AuthoredReview).await,
            30..50 => self.record(tenant, record::With::Nothing).await,
            50..55 => self.record_batch(tenant).await,
            55..68 => self.ask_then_record(tenant).await,
            68..74 => self.review_one().await,
            74..83 => self.review_batch().await,
            83..91 => self.replace().await,
            91..96 => self.withdraw().await,
            _ => self.contest().await,
        }
    }

    /// Counts a call. Says whether it was done, and not refused or given up.
    fn count(&mut self, kind: &'static str, reply: &Reply) -> bool {
        let tally = self.log.tallies.entry(kind).or_default();
        match (&reply.answer, reply.success()) {
            (None, _) => tally.unanswered += 1,
            (Some(_), Some(_)) => tally.acknowledged += 1,
            (Some(_), None) => tally.refused += 1,
        }
        reply.success().is_some()
    }
}
