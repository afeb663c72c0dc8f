//! Connections: how a URL reaches its database, and the pools that are opened there.

use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection};

use crate::error::{StoreError, has_prepared_name, kept_out};
use crate::requirements::Requirement;
use crate::search_turns::{SearchLimits, SearchTurns};
use crate::server_facts::ServerFacts;
use crate::transaction::TransactionPool;

/// Takes the restricted role for the rest of a session.
pub(crate) const RESTRICT: &str = "set role reflect_app";
/// The same for one transaction.
const RESTRICT_TRANSACTION: &str = "; set local role reflect_app";

/// The settings of every connection.
const SETTINGS: [(&str, &str); 4] = [
    ("jit", "off"),
    ("lock_timeout", "2000"),
    ("idle_in_transaction_session_timeout", "10000"),
    ("client_min_messages", "warning"),
];
/// The server notices within about a minute that the machine of a client is gone. By default, the locks of its sessions,
/// such as that of the maintenance leader, would stay for two hours.
const KEEPALIVE: [(&str, &str); 3] =
    [("tcp_keepalives_idle", "30"), ("tcp_keepalives_interval", "10"), ("tcp_keepalives_count", "3")];
/// Shows whether the settings of a session reach Postgres: a pooler drops them.
const MARK: (&str, &str) = ("reflect.session", "direct");

/// How long a query waits for a connection.
pub(crate) const ACQUIRE: Duration = Duration::from_secs(3);
/// Short, because a retrieval can use the primary instead.
pub(crate) const ACQUIRE_REPLICA: Duration = Duration::from_millis(250);

/// The settings of one pool, in addition to those of every connection.
type PoolSettings = &'static [(&'static str, &'static str)];
/// Inserts need no planning, and the tables of the queue have no partitions. Elsewhere a transaction says whether its
/// plans are kept (`point_plans`).
const CACHED_PLANS: (&str, &str) = ("plan_cache_mode", "force_generic_plan");
const FRESH_PLANS: (&str, &str) = ("plan_cache_mode", "force_custom_plan");
const CHANGE_TIMEOUT: (&str, &str) = ("statement_timeout", "10000");
const READS: PoolSettings = &[("statement_timeout", "5000"), FRESH_PLANS];
const WRITES: PoolSettings = &[CHANGE_TIMEOUT, FRESH_PLANS];
/// A probe must end before the deadline of its caller.
const PROBE: PoolSettings = &[("statement_timeout", "2000"), FRESH_PLANS];
const INGEST: PoolSettings = &[CHANGE_TIMEOUT, CACHED_PLANS, ("enable_seqscan", "off")];
/// A cached plan of the queue may have been made while its table was nearly empty. It must not read the whole table.
const QUEUE: PoolSettings =
    &[CHANGE_TIMEOUT, CACHED_PLANS, ("synchronous_commit", "off"), ("enable_seqscan", "off")];

/// A deliberate defect. A fault run must detect it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Answers before the transaction is committed.
    #[cfg(debug_assertions)]
    AcknowledgeBeforeCommit,
    /// Moves utilities after the transaction that entered them into the ledger.
    #[cfg(debug_assertions)]
    UtilityOutsideTransaction,
    /// Stores runs without looking for signals that wait for them.
    #[cfg(debug_assertions)]
    ForgetEarlySignals,
    /// Takes the restricted role once per connection instead of in every transaction.
    #[cfg(debug_assertions)]
    RolePerSession,
    /// Reads a replica without checking how far it is behind.
    #[cfg(debug_assertions)]
    UncheckedReplica,
    /// Removes a job that was queued again while it ran.
    #[cfg(debug_assertions)]
    LoseRepeatedJobs,
    /// Claims the oldest jobs of all projects.
    #[cfg(debug_assertions)]
    ClaimOldestJobs,
    /// Links a run without waiting for the receipt that it names.
    #[cfg(debug_assertions)]
    NoReceiptWait,
    /// Keeps the checkpoints of a fold after an earlier entry has changed.
    #[cfg(debug_assertions)]
    StaleCheckpoints,
    /// Serves queries from a graph that finds too few of the nearest memories.
    #[cfg(debug_assertions)]
    ServeUncheckedGraph,
    /// Lets a run join a lesson without an action that can be undone.
    #[cfg(debug_assertions)]
    LessonWithoutChange,
    /// Leaves superseded memories in the search.
    #[cfg(debug_assertions)]
    SupersededStaysSearched,
    /// Does not count the runs that a memory absorbed.
    #[cfg(debug_assertions)]
    AbsorbedNotCounted,
    /// Leaves absorbed and superseded memories as they are when their review is withdrawn.
    #[cfg(debug_assertions)]
    AbsorptionSurvivesWithdrawal,
    /// Gives the memories of a lesson one credit.
    #[cfg(debug_assertions)]
    GroupingPoolsCredit,
    /// Stores OpenTelemetry spans without their own ids.
    #[cfg(debug_assertions)]
    StageSpansAgain,
    /// Forgets runs of OpenTelemetry spans as soon as they have ended.
    #[cfg(debug_assertions)]
    ForgetEndedRuns,
    /// Stores events after the transaction that caused them.
    #[cfg(debug_assertions)]
    EventsOutsideTransaction,
}

#[cfg(debug_assertions)]
const fn sets_role_per_session(fault: Option<StoreFault>) -> bool {
    matches!(fault, Some(StoreFault::RolePerSession))
}

#[cfg(not(debug_assertions))]
const fn sets_role_per_session(_: Option<StoreFault>) -> bool {
    false
}

/// A database server, as one URL reaches it.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(crate) options: PgConnectOptions,
    /// Whether a connection is one session of Postgres. Behind a pooler, each transaction may have another session, and
    /// settings must be set in each of them.
    pub(crate) is_session: bool,
    /// Whether prepared statements may have names.
    named: bool,
    pub(crate) facts: ServerFacts,
}

impl Reached {
    /// Connects, and finds out whether there is a pooler. Returns the connection too.
    pub(crate) async fn connect(url: &str) -> Result<(Self, PgConnection), StoreError> {
        let options = session_options(url)?;
        match first(&options).await {
            Ok(mut connection) => {
                if has_session(&mut connection).await? {
                    let facts = ServerFacts::read(&mut connection).await?;
                    return Ok((Self { options, is_session: true, named: true, facts }, connection));
                }
            }
            Err(StoreError::Requirement(Requirement::Pooler)) => {}
            Err(error) => return Err(error),
        }
        // Poolers refuse or drop parameters that they do not know.
        let options = parse(url)?.extra_float_digits(None);
        let named = keeps_names(&options).await?;
        let mut connection = first(&options).await?;
        let mut transaction = connection.begin().await?;
        let facts = ServerFacts::read(&mut *transaction).await?;
        transaction.commit().await?;
        Ok((Self { options, is_session: false, named, facts }, connection))
    }

    /// Turns for searches with this many connections.
    fn search_turns(&self, connections: u32) -> SearchTurns {
        let processors = std::thread::available_parallelism().ok().filter(|_| is_local(&self.options));
        SearchTurns::new(SearchLimits::new(connections, processors.map(NonZero::get)))
    }

    /// A pool for transactions.
    fn transactions(
        &self,
        limits: &PoolLimits,
        fault: Option<StoreFault>,
    ) -> Result<TransactionPool, StoreError> {
        let restricted = self.facts.restriction()?;
        let per_session = restricted && sets_role_per_session(fault);
        let role = if restricted && !per_session { RESTRICT_TRANSACTION } else { "" };
        let (options, prologue) = match self.is_session {
            true => (self.options.clone().options(limits.settings.iter().copied()), role.to_owned()),
            false => (self.options.clone(), format!("{role}{}", limits.set_local())),
        };
        let pool = limits.pool(options, per_session);
        Ok(TransactionPool::new(pool, &prologue, self.named))
    }
}

/// The size of a pool, and the settings of its statements.
struct PoolLimits {
    connections: u32,
    acquire: Duration,
    settings: PoolSettings,
}

impl PoolLimits {
    /// All settings, as statements that follow BEGIN.
    fn set_local(&self) -> String {
        let settings = SETTINGS.iter().chain(self.settings);
        settings.map(|(name, value)| format!("; set local {name} = {value}")).collect()
    }

    fn pool(&self, options: PgConnectOptions, restricted: bool) -> PgPool {
        PgPoolOptions::new()
            .max_connections(self.connections)
            .acquire_timeout(self.acquire)
            .idle_timeout(Duration::from_secs(600))
            // A ping before every use would cost a round trip; one after a rest is enough, and opening a transaction
            // is tried again when a connection turns out to be dead.
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
            // Otherwise every connection keeps buffers as large as the largest run or page that it has carried.
            .after_release(|connection, _| {
                connection.shrink_buffers();
                Box::pin(std::future::ready(Ok(true)))
            })
            .connect_lazy_with(options)
    }
}

/// A pool for each kind of work, so that many ingested traces cannot take the connections of readers, and the reverse.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) reads: TransactionPool,
    /// Only for searches, so that they never wait for lists.
    pub(crate) searches: TransactionPool,
    pub(crate) writes: TransactionPool,
    /// Only for storing traces. The plans do not depend on the values and are kept.
    pub(crate) ingest: TransactionPool,
    /// Only for the queue. Its connections are sessions, which take the restricted role once. Commits do not wait for
    /// the disk: if a claim or the end of a job is lost in a crash, the job runs again, and that changes nothing.
    pub(crate) work: PgPool,
    /// One connection for probes: a busy server must not look like one without a database.
    pub(crate) probe: TransactionPool,
    /// For authentication, and for requests that wait for learning: short look-ups that must not wait for searches.
    pub(crate) lookups: TransactionPool,
    /// Of the connections in `searches`.
    pub(crate) search_turns: SearchTurns,
}

impl Pools {
    /// Opens the pools: transactions through `server`, sessions through `direct`.
    pub(crate) fn open(
        server: &Reached,
        direct: &Reached,
        connections: u32,
        fault: Option<StoreFault>,
    ) -> Result<Self, StoreError> {
        let shares = Shares::of(connections);
        let limits =
            |connections: u32, settings: PoolSettings| PoolLimits { connections, acquire: ACQUIRE, settings };
        let queue = limits(shares.work, QUEUE);
        let queue_options = direct.options.clone().options(QUEUE.iter().copied());
        Ok(Self {
            reads: server.transactions(&limits(shares.reads, READS), fault)?,
            searches: server.transactions(&limits(shares.searches, READS), fault)?,
            writes: server.transactions(&limits(shares.changes, WRITES), fault)?,
            ingest: server.transactions(&limits(shares.changes, INGEST), fault)?,
            work: queue.pool(queue_options, direct.facts.restriction()?),
            probe: server.transactions(&limits(1, PROBE), fault)?,
            lookups: server.transactions(&limits(shares.lookups, READS), fault)?,
            search_turns: server.search_turns(shares.searches),
        })
    }

    pub(crate) async fn close(&self) {
        for pool in [&self.reads, &self.searches, &self.writes, &self.ingest, &self.probe, &self.lookups] {
            pool.close().await;
        }
        self.work.close().await;
    }
}

/// How many connections each pool may open. Probes have one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    reads: u32,
    searches: u32,
    /// Each of the two pools that change rows.
    changes: u32,
    work: u32,
    lookups: u32,
}

impl Shares {
    /// With fewer than sixteen connections, the pools open more than that: each kind of work needs some.
    fn of(connections: u32) -> Self {
        let (changes, work) = ((connections / 5).max(1), (connections / 5).max(4));
        let lookups = (connections / 10).max(1);
        let readers = connections.saturating_sub(2 * changes + work + lookups + 1).max(4);
        let searches = readers.div_ceil(2);
        Self { reads: readers - searches, searches, changes, work, lookups }
    }
}

/// The connections to a read replica, as many as those for searches on the primary.
#[derive(Debug)]
pub(crate) struct ReplicaPool {
    pub(crate) reads: TransactionPool,
    pub(crate) search_turns: SearchTurns,
}

impl ReplicaPool {
    pub(crate) fn open(
        replica: &Reached,
        connections: u32,
        fault: Option<StoreFault>,
    ) -> Result<Self, StoreError> {
        let connections = Shares::of(connections).searches;
        let limits = PoolLimits { connections, acquire: ACQUIRE_REPLICA, settings: READS };
        Ok(Self {
            reads: replica.transactions(&limits, fault)?,
            search_turns: replica.search_turns(connections),
        })
    }
}

/// Whether a database server runs on this machine.
fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    options.get_socket().is_some()
        || host.starts_with('/')
        || host == "localhost"
        || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Opens the first connection. An error says what to do about it.
pub(crate) async fn first(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    PgConnection::connect_with(options).await.map_err(kept_out)
}

/// Whether the settings of the session have reached Postgres.
pub(crate) async fn has_session(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let mut transaction = connection.begin().await?;
    let marked = sqlx::query_scalar(include_str!("../sql/maintenance/has_session.sql")).persistent(false);
    let marked = marked.bind(MARK.1).fetch_one(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(marked)
}

/// Whether a pooler gives each client its own names of prepared statements, as PgBouncer does since 1.21. It then uses
/// other names towards Postgres than the client does.
async fn keeps_names(options: &PgConnectOptions) -> Result<bool, StoreError> {
    let mut connection = first(options).await?;
    let mut transaction = connection.begin().await?;
    let renamed = sqlx::query_scalar(include_str!("../sql/maintenance/renames_statements.sql"));
    let renamed: bool = match renamed.fetch_one(&mut *transaction).await {
        Ok(renamed) => renamed,
        // Another client has left a statement of this name in the session.
        Err(error) if has_prepared_name(&error) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    // In the same transaction, so in the same session.
    transaction.clear_cached_statements().await?;
    transaction.commit().await?;
    connection.close().await?;
    Ok(renamed)
}

fn innermost<'a>(error: &'a (dyn std::error::Error + 'static)) -> &'a (dyn std::error::Error + 'static) {
    error.source().map_or(error, innermost)
}

fn parse(url: &str) -> Result<PgConnectOptions, StoreError> {
    let wrong = |reason: String| StoreError::from(Requirement::Address { reason });
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(wrong("it does not start with postgres://".to_owned()));
    }
    if has_several_hosts(url) {
        let reason = "it names several hosts or target_session_attrs, which are not supported; name one address that leads to \
                      the primary, such as that of HAProxy";
        return Err(wrong(reason.to_owned()));
    }
    let options: PgConnectOptions = url.parse().map_err(|error| match error {
        sqlx::Error::Configuration(reason) => wrong(innermost(reason.as_ref()).to_string()),
        other => other.into(),
    })?;
    Ok(options.application_name("reflect"))
}

/// Whether a URL lets the client search for the primary, as libpq does. sqlx would take the list for one name, and ignore the
/// parameter.
fn has_several_hosts(url: &str) -> bool {
    let (address, parameters) = url.split_once('?').unwrap_or((url, ""));
    let authority = address.split('/').nth(2).unwrap_or_default();
    let hosts = authority.rsplit('@').next().unwrap_or_default();
    let searches = |parameter: &str| match parameter.split_once('=') {
        Some(("target_session_attrs", _)) => true,
        Some(("host" | "hostaddr" | "port", value)) => value.contains(',') || value.contains("%2C"),
        _ => false,
    };
    hosts.contains(',') || parameters.split('&').any(searches)
}

/// Reads the URL and adds the settings that every session of the server has.
pub(crate) fn session_options(url: &str) -> Result<PgConnectOptions, StoreError> {
    Ok(parse(url)?.options(SETTINGS.into_iter().chain(KEEPALIVE).chain([MARK])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PoolLimits = PoolLimits { connections: 1, acquire: ACQUIRE, settings: READS };

    #[test]
    fn a_transaction_sets_what_a_session_sets_otherwise() {
        let options = session_options("postgres://a@b/c").unwrap().options(READS.iter().copied());
        let session = options.get_options().unwrap().to_owned();

        for statement in LIMITS.set_local().split("; ").filter(|text| !text.is_empty()) {
            let setting = statement.strip_prefix("set local ").unwrap().replace(" = ", "=");
            assert!(session.contains(&setting), "{setting} in {session}");
        }
        assert_eq!(LIMITS.set_local().matches("set local").count(), SETTINGS.len() + READS.len());
    }

    #[test]
    fn an_address_with_several_hosts_is_refused_and_not_misunderstood() {
        for url in [
            "postgres://a:secret@one:5432,two:5432/reflect",
            "postgres://one,two/reflect",
            "postgres://one/reflect?target_session_attrs=read-write",
            "postgres:///reflect?sslmode=require&host=one,two",
        ] {
            let refusal = session_options(url).unwrap_err().to_string();
            assert!(refusal.contains("several hosts") && !refusal.contains("secret"), "{url}: {refusal}");
        }
        assert!(session_options("postgres://a:b,c@one:5432/reflect?options=-c%20geqo=off").is_ok());
    }

    #[test]
    fn all_pools_together_open_no_more_connections_than_allowed() {
        for connections in 16..=1000 {
            let Shares { reads, searches, changes, work, lookups } = Shares::of(connections);
            assert!(reads + searches + 2 * changes + work + lookups < connections, "{connections}");
        }
        assert_eq!(Shares::of(20), Shares { reads: 2, searches: 3, changes: 4, work: 4, lookups: 2 });
    }
}
