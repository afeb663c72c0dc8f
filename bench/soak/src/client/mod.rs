//! A client: records runs, reviews them, changes reviews, queries and moves memories, and logs all responses. The client that
//! recorded a trace also reviews it, so it knows the current review.

mod ask;
mod compose;
mod log;
mod record;
mod regroup;
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
pub use log::{Log, Tally};
pub(crate) use log::{SentTrace, Standing};
pub use surroundings::{Surroundings, Tenant};

/// The size of a trace in bytes. Small, because this run tests learning.
const TRACE_BYTES: usize = 1_200;

/// One client.
pub struct Client {
    surroundings: Arc<Surroundings>,
    number: u64,
    /// The round of load on this database, which keeps markers unique.
    round: u64,
    random: SmallRng,
    workload: Workload,
    /// The server that it uses. If it does not respond, the next one is used.
    server: usize,
    connection: Option<(usize, Connection)>,
    composed: u64,
    /// Log indexes of the traces that it can review, with their tenants.
    own: Vec<(usize, usize)>,
    log: Log,
}

impl Client {
    /// A client. `round` is the round of load on this database.
    pub fn new(surroundings: Arc<Surroundings>, number: u64, round: u64, seed: u64) -> Self {
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

    /// Works until it is stopped, and returns its log.
    pub async fn work(mut self) -> Log {
        while !self.surroundings.stop.load(Ordering::Relaxed) {
            self.step_and_pause().await;
        }
        self.log
    }

    /// The same with so many steps: the work does not depend on the speed of the machine.
    pub async fn work_for(mut self, steps: u64) -> Log {
        for _ in 0..steps {
            self.step_and_pause().await;
        }
        self.log
    }

    async fn step_and_pause(&mut self) {
        self.one_step().await;
        let longest = u64::try_from(self.surroundings.pause.as_millis()).unwrap_or(0);
        tokio::time::sleep(Duration::from_millis(self.random.random_range(0..=longest))).await;
    }

    async fn one_step(&mut self) {
        let tenant = self.random.random_range(0..self.surroundings.tenants.len());
        match self.random.random_range(0..100) {
            0..20 => self.record(tenant, record::With::Review).await,
            20..30 => self.record(tenant, record::With::AuthoredReview).await,
            30..48 => self.record(tenant, record::With::Nothing).await,
            48..50 => self.move_memory(tenant).await,
            50..55 => self.record_batch(tenant).await,
            55..68 => self.ask_then_record(tenant).await,
            68..74 => self.review_one().await,
            74..83 => self.review_batch().await,
            83..91 => self.replace().await,
            91..96 => self.withdraw().await,
            _ => self.contest().await,
        }
    }

    /// Counts a call. Returns whether it succeeded.
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
