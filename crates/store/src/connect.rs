//! Connections: how they are opened, under which role and limits, and in which pools.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{StoreError, kept_out};
use crate::requirements::Requirement;

/// Takes the restricted role for the rest of the connection.
pub(crate) const RESTRICT: &str = "set role reflect_app";
/// How long a request waits for a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);

/// A deliberate defect. A fault run must detect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Answers before the transaction is committed.
    #[cfg(debug_assertions)]
    AcknowledgeBeforeCommit,
    /// Moves utilities after the transaction that entered them into the ledger.
    #[cfg(debug_assertions)]
    UtilityOutsideTransaction,
    /// Links a run without waiting for the receipt that it names.
    #[cfg(debug_assertions)]
    NoReceiptWait,
}

/// A pool for each kind of work, so that many ingested traces cannot take the connections of readers, and the reverse.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) reads: PgPool,
    pub(crate) writes: PgPool,
    /// Only for inserts. Their plans do not depend on the values and can be cached.
    pub(crate) ingest: PgPool,
    /// Only for the queue: one connection of it listens for new jobs all the time.
    pub(crate) work: PgPool,
    /// One connection for probes: a busy server must not look like one without a database.
    pub(crate) probe: PgPool,
    /// For authentication, and for requests that wait for learning: short look-ups that must not wait for searches.
    pub(crate) lookups: PgPool,
    /// A search by words reads many texts, so these searches get only a part of the connections of readers.
    word_searches: Arc<Semaphore>,
}

impl Pools {
    pub(crate) fn open(options: &PgConnectOptions, restricted: bool, connections: u32) -> Self {
        let pool = |most: u32, timeout_ms: &str, plans: &str| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(ACQUIRE_TIMEOUT)
                .idle_timeout(Duration::from_secs(600))
                // A ping before every use would cost a round trip; one after a rest is enough, and
                // `ProjectCtx` tries again when a connection turns out to be dead.
                .test_before_acquire(false)
                .before_acquire(|connection, meta| {
                    Box::pin(async move {
                        if meta.idle_for > Duration::from_secs(1) {
                            connection.ping().await?;
                        }
                        Ok(true)
                    })
                })
                .after_connect(move |connection, _| {
                    Box::pin(async move {
                        if restricted {
                            connection.execute(RESTRICT).await?;
                        }
                        Ok(())
                    })
                })
                .connect_lazy_with(
                    options.clone().options([("statement_timeout", timeout_ms), ("plan_cache_mode", plans)]),
                )
        };
        // Inserts need no planning, and the tables of the queue have no partitions. Any other cached plan would lock
        // every partition of a table.
        let (fresh, kept) = ("force_custom_plan", "force_generic_plan");
        let shares = Shares::of(connections);
        Self {
            reads: pool(shares.reads, "5000", fresh),
            writes: pool(shares.changes, "10000", fresh),
            ingest: pool(shares.changes, "10000", kept),
            work: pool(shares.work, "10000", kept),
            probe: pool(1, "2000", fresh),
            lookups: pool(shares.lookups, "5000", fresh),
            word_searches: Arc::new(Semaphore::new((shares.reads / 2).max(1) as usize)),
        }
    }

    /// Waits until a search by words may run. It may run until the permit is dropped.
    pub(crate) async fn word_search_turn(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, self.word_searches.clone().acquire_owned());
        match turn.await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)),
        }
    }

    pub(crate) async fn close(&self) {
        for pool in [&self.reads, &self.writes, &self.ingest, &self.work, &self.probe, &self.lookups] {
            pool.close().await;
        }
    }
}

/// How many connections each pool may open. Probes have one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    reads: u32,
    /// Each of the two pools that change rows.
    changes: u32,
    work: u32,
    lookups: u32,
}

impl Shares {
    /// With fewer than twelve connections, the pools open more than that: each kind of work needs some.
    fn of(connections: u32) -> Self {
        let (changes, work) = ((connections / 5).max(1), (connections / 5).max(4));
        let lookups = (connections / 10).max(1);
        let reads = connections.saturating_sub(2 * changes + work + lookups + 1).max(2);
        Self { reads, changes, work, lookups }
    }
}

/// Opens the first connection. An error says what to do about it.
pub(crate) async fn first(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    PgConnection::connect_with(options).await.map_err(kept_out)
}

fn innermost<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    error.source().map_or(error, innermost)
}

/// Reads the URL and adds the settings that every connection of the server has.
pub(crate) fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let wrong = |reason: String| StoreError::from(Requirement::Address { reason });
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(wrong("it does not start with postgres://".to_owned()));
    }
    let options: PgConnectOptions = url.parse().map_err(|error| match error {
        sqlx::Error::Configuration(reason) => wrong(innermost(reason.as_ref()).to_string()),
        other => other.into(),
    })?;
    Ok(options.application_name("reflect").options([
        ("jit", "off"),
        ("lock_timeout", "2000"),
        ("idle_in_transaction_session_timeout", "10000"),
        ("client_min_messages", "warning"),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pools_together_open_no_more_connections_than_allowed() {
        for connections in 12..=1000 {
            let Shares { reads, changes, work, lookups } = Shares::of(connections);
            assert!(reads + 2 * changes + work + lookups + 1 <= connections, "{connections}");
        }
        assert_eq!(Shares::of(20), Shares { reads: 5, changes: 4, work: 4, lookups: 2 });
    }
}
