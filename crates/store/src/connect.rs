//! Connections: how they are opened, under which role and limits, and in which pools.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection};

use crate::error::{StoreError, kept_out};
use crate::requirements::Requirement;

/// Takes the restricted role for the rest of the connection.
pub(crate) const RESTRICT: &str = "set role reflect_app";

/// A deliberate defect. A fault run must detect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Answers before the transaction is committed.
    #[cfg(debug_assertions)]
    AcknowledgeBeforeCommit,
    /// Moves utilities after the transaction that entered them into the ledger.
    #[cfg(debug_assertions)]
    UtilityOutsideTransaction,
    /// Serves queries from a graph that finds too few of the nearest memories.
    #[cfg(debug_assertions)]
    ServeUncheckedGraph,
}

/// Four pools, so many ingested traces cannot take the connections of readers, and the reverse.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) reads: PgPool,
    pub(crate) writes: PgPool,
    /// Only for inserts. Their plans do not depend on the values and can be cached.
    pub(crate) ingest: PgPool,
    /// Only for the queue: one connection of it listens for new jobs all the time.
    pub(crate) work: PgPool,
}

impl Pools {
    pub(crate) fn open(options: &PgConnectOptions, restricted: bool, connections: u32) -> Self {
        let pool = |most: u32, timeout_ms: &str, plans: &str| {
            PgPoolOptions::new()
                .max_connections(most)
                .acquire_timeout(Duration::from_secs(3))
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
        let (changes, work) = ((connections / 5).max(1), (connections / 5).max(4));
        let reads = connections.saturating_sub(2 * changes + work).max(1);
        Self {
            reads: pool(reads, "5000", fresh),
            writes: pool(changes, "10000", fresh),
            ingest: pool(changes, "10000", kept),
            work: pool(work, "10000", kept),
        }
    }

    pub(crate) async fn close(&self) {
        for pool in [&self.reads, &self.writes, &self.ingest, &self.work] {
            pool.close().await;
        }
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
