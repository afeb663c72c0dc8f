//! A read replica: a streaming standby of the database, which answers retrievals.
//!
//! It is read only if it is a standby of this database, if its data is not older than the configured bound, and if it has
//! every memory that was created in the project a moment ago. Otherwise the retrieval reads the primary. A replica that
//! fails is left alone for some seconds. Receipts are always written to the primary.

mod positions;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::OnceCell;

use crate::connect::{Reached, ReplicaPool, StoreFault};
use crate::error::StoreError;
use crate::requirements::Requirement;
use positions::Positions;

/// A replica that failed is not used for this time.
const REST: Duration = Duration::from_secs(5);
/// How long to wait for the first connection.
const CONNECT: Duration = Duration::from_secs(3);

/// A standby that may answer retrievals.
#[derive(Debug, Clone)]
pub struct ReplicaSettings {
    /// Its URL.
    pub url: SecretString,
    /// How old the data may be that a retrieval reads.
    pub max_staleness: Duration,
}

/// The installation that a replica belongs to, and how connections to it are opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplicaOf {
    pub(crate) installed_at: DateTime<Utc>,
    /// Whether connections to the primary take the restricted role. Those to the replica must then take it too.
    pub(crate) restricted: bool,
    pub(crate) connections: u32,
    pub(crate) fault: Option<StoreFault>,
}

/// A standby of the database.
#[derive(Debug)]
pub(crate) struct Replica {
    settings: ReplicaSettings,
    of: ReplicaOf,
    pool: OnceCell<ReplicaPool>,
    state: Mutex<ReplicaState>,
}

#[derive(Debug)]
struct ReplicaState {
    positions: Positions,
    rests_until: Option<Instant>,
}

/// The state of the primary at the start of a retrieval.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct PrimaryView {
    /// The end of its log, in bytes.
    position: i64,
    /// The memories that were created in the project during the last minutes.
    pub(crate) recent: Vec<MemoryId>,
}

/// The state of the replica.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct StandbyView {
    is_standby: bool,
    /// The end of the log that it has replayed, in bytes.
    position: Option<i64>,
    installed_at: Option<DateTime<Utc>>,
    /// How many recent memories it does not have.
    missing: i64,
}

/// Why a retrieval reads the primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It failed some seconds ago.
    Resting,
    /// It failed now.
    Failed,
    /// Too many searches of the project wait for it.
    Busy,
    /// It is not a standby of this database.
    NotStandby,
    /// It lacks a memory that was just created.
    LacksMemory,
    /// Its data is older than the bound, or of unknown age.
    Stale,
}

impl Unusable {
    /// A label of a metric.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Resting => "resting",
            Self::Failed => "failed",
            Self::Busy => "busy",
            Self::NotStandby => "not_standby",
            Self::LacksMemory => "lacks_memory",
            Self::Stale => "stale",
        }
    }
}

impl Replica {
    /// A replica that does not answer is no error: it is tried again later. One of another database is an error.
    pub(crate) async fn open(settings: ReplicaSettings, of: ReplicaOf) -> Result<Self, StoreError> {
        let positions = Positions::new(settings.max_staleness);
        let state = Mutex::new(ReplicaState { positions, rests_until: None });
        let replica = Self { settings, of, pool: OnceCell::new(), state };
        match replica.pool().await {
            Ok(_) => {}
            Err(StoreError::Unavailable(error)) => {
                tracing::warn!(%error, "the read replica does not answer: {error}");
                replica.rest();
            }
            Err(error) => return Err(error),
        }
        Ok(replica)
    }

    /// Connects at the first use. Retrievals that wait for a connection attempt fail with it: without the rest, each of them
    /// would try again, one after the other.
    pub(crate) async fn pool(&self) -> Result<&ReplicaPool, StoreError> {
        let connect = || async { self.connect().await.inspect_err(|_| self.rest()) };
        self.pool.get_or_try_init(connect).await
    }

    async fn connect(&self) -> Result<ReplicaPool, StoreError> {
        let unavailable = || StoreError::Unavailable(sqlx::Error::PoolTimedOut);
        self.check_rested().map_err(|_| unavailable())?;
        let connected = tokio::time::timeout(CONNECT, Reached::connect(self.settings.url.expose_secret()));
        let (reached, _connection) = connected.await.map_err(|_| unavailable())??;
        reached.facts.check()?;
        if self.of.restricted && !reached.facts.is_restricted() {
            return Err(Requirement::ReplicaRole { user: reached.facts.user_name }.into());
        }
        let pool = ReplicaPool::open(&reached, self.of.connections, self.of.fault)?;
        let installed_at = sqlx::query_scalar(include_str!("../../sql/maintenance/installed_at.sql"));
        let installed_at: DateTime<Utc> = installed_at.fetch_one(&pool.reads).await?;
        if installed_at != self.of.installed_at {
            return Err(Requirement::OtherDatabase { setting: "REFLECT_READ_DATABASE_URL" }.into());
        }
        Ok(pool)
    }

    /// An error while a failed replica rests.
    pub(crate) fn check_rested(&self) -> Result<(), Unusable> {
        let mut state = self.lock();
        if state.rests_until.is_some_and(|until| Instant::now() < until) {
            return Err(Unusable::Resting);
        }
        state.rests_until = None;
        Ok(())
    }

    /// Leaves the replica alone for some seconds after an error. One that is busy is not at fault.
    pub(crate) fn note_failure(&self, error: &StoreError) -> Unusable {
        if matches!(error, StoreError::Busy) {
            return Unusable::Busy;
        }
        tracing::warn!(%error, "the read replica failed: {error}; retrievals use the primary");
        self.rest();
        Unusable::Failed
    }

    /// Whether a retrieval that began at `began` may read the replica. Without a view of the primary it may: the primary
    /// does not answer, and old memories are better than none.
    pub(crate) fn check_fresh(
        &self,
        began: Instant,
        primary: Option<&PrimaryView>,
        standby: &StandbyView,
    ) -> Result<(), Unusable> {
        if is_unchecked(self.of.fault) {
            return Ok(());
        }
        let mut state = self.lock();
        if let Some(primary) = primary {
            state.positions.note(began, primary.position);
        }
        let age = standby.position.and_then(|position| state.positions.age(began, position));
        drop(state);
        if !standby.is_standby || standby.installed_at != Some(self.of.installed_at) {
            return Err(Unusable::NotStandby);
        }
        match primary {
            None => Ok(()),
            Some(_) if standby.missing > 0 => Err(Unusable::LacksMemory),
            Some(_) if age.is_none_or(|age| age > self.settings.max_staleness) => Err(Unusable::Stale),
            Some(_) => Ok(()),
        }
    }

    /// Waits for running statements and closes all connections.
    pub(crate) async fn close(&self) {
        if let Some(pool) = self.pool.get() {
            pool.reads.close().await;
        }
    }

    fn rest(&self) {
        self.lock().rests_until = Some(Instant::now() + REST);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ReplicaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(debug_assertions)]
const fn is_unchecked(fault: Option<StoreFault>) -> bool {
    matches!(fault, Some(StoreFault::UncheckedReplica))
}

#[cfg(not(debug_assertions))]
const fn is_unchecked(_: Option<StoreFault>) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replica() -> Replica {
        let settings = ReplicaSettings { url: "postgres://a@b/c".to_owned().into(), max_staleness: REST };
        let of =
            ReplicaOf { installed_at: DateTime::UNIX_EPOCH, restricted: true, connections: 8, fault: None };
        let positions = Positions::new(settings.max_staleness);
        let state = Mutex::new(ReplicaState { positions, rests_until: None });
        Replica { settings, of, pool: OnceCell::new(), state }
    }

    fn standby(position: i64) -> StandbyView {
        let installed_at = Some(DateTime::UNIX_EPOCH);
        StandbyView { is_standby: true, position: Some(position), installed_at, missing: 0 }
    }

    fn primary(position: i64) -> PrimaryView {
        PrimaryView { position, recent: Vec::new() }
    }

    #[test]
    fn a_replica_is_read_while_it_is_fresh_enough() {
        let (replica, begin) = (replica(), Instant::now());

        assert_eq!(replica.check_fresh(begin, Some(&primary(100)), &standby(100)), Ok(()));
        let within = begin + REST / 2;
        assert_eq!(replica.check_fresh(within, Some(&primary(200)), &standby(150)), Ok(()));
        let beyond = begin + REST * 2;
        assert_eq!(replica.check_fresh(beyond, Some(&primary(300)), &standby(150)), Err(Unusable::Stale));
        assert_eq!(replica.check_fresh(beyond, Some(&primary(300)), &standby(300)), Ok(()));
    }

    #[test]
    fn a_replica_without_a_new_memory_is_not_read() {
        let (replica, begin) = (replica(), Instant::now());
        let behind = StandbyView { missing: 1, ..standby(100) };

        assert_eq!(replica.check_fresh(begin, Some(&primary(100)), &behind), Err(Unusable::LacksMemory));
    }

    #[test]
    fn another_server_is_not_read() {
        let (replica, begin) = (replica(), Instant::now());
        let promoted = StandbyView { is_standby: false, position: None, ..standby(100) };
        let foreign = StandbyView { installed_at: None, ..standby(100) };

        for wrong in [promoted, foreign] {
            assert_eq!(replica.check_fresh(begin, Some(&primary(100)), &wrong), Err(Unusable::NotStandby));
        }
    }

    #[test]
    fn a_replica_is_read_while_the_primary_does_not_answer() {
        assert_eq!(replica().check_fresh(Instant::now(), None, &standby(1)), Ok(()));
    }

    #[test]
    fn a_failed_replica_rests() {
        let replica = replica();
        assert_eq!(replica.check_rested(), Ok(()));

        let failed = replica.note_failure(&StoreError::Unavailable(sqlx::Error::PoolTimedOut));

        assert_eq!(failed, Unusable::Failed);
        assert_eq!(replica.check_rested(), Err(Unusable::Resting));
    }
}
