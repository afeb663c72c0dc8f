//! The only source of transactions: every statement about rows of a project runs in a [`ProjectTx`].

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use reflect_types::ProjectId;
use sqlx::postgres::PgConnectOptions;
use sqlx::{PgConnection, PgPool};

use crate::connect::{Pools, StoreFault};
use crate::data_keys::DataKeys;
use crate::error::StoreError;
use crate::sealing::Sealer;
use crate::transaction::PooledTransaction;

/// After a restart of the database every pooled connection is dead, so opening a transaction is retried this often.
const ATTEMPTS: usize = 4;
/// Cached plans: the statements of a search are the same for all projects, and planning one costs more than it saves.
const BY_VECTOR: &str = "; set local enable_seqscan = off; set local enable_bitmapscan = off; \
                         set local plan_cache_mode = force_generic_plan; set local synchronous_commit = off";
const BY_WORDS: &str = "; set local synchronous_commit = off";
/// One part of a pack can take minutes, and files are written between two parts. There is no limit on waiting for
/// locks, because Postgres needs time to detect that a killed import is gone and to release its locks.
const IN_PARTS: &str = "; set local statement_timeout = 120000; set local lock_timeout = 0; \
                        set local idle_in_transaction_session_timeout = 0";

/// How memories are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchBy {
    /// By embedding similarity.
    Vector,
    /// By shared words.
    Words,
}

/// One database: its pools, and the options of its owner for work that the pools' role may not do.
#[derive(Clone)]
pub(crate) struct Db {
    pub(crate) pools: Pools,
    pub(crate) owner: PgConnectOptions,
    pub(crate) fault: Option<StoreFault>,
    /// `None` if values are stored in plain text.
    pub(crate) data_keys: Option<Arc<DataKeys>>,
}

/// Without `owner`, which holds the password.
impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("fault", &self.fault).finish_non_exhaustive()
    }
}

impl Db {
    pub(crate) fn project(&self, project: ProjectId) -> ProjectDb {
        let data_keys = self.data_keys.clone();
        ProjectDb { pools: self.pools.clone(), fault: self.fault, data_keys, project }
    }

    /// For rows that belong to no project, such as the installation's audit log.
    pub(crate) fn installation(&self) -> ProjectDb {
        self.project(ProjectId::INSTALLATION)
    }
}

/// Opens the transactions of one project.
#[derive(Debug, Clone)]
pub(crate) struct ProjectDb {
    pools: Pools,
    fault: Option<StoreFault>,
    data_keys: Option<Arc<DataKeys>>,
    pub(crate) project: ProjectId,
}

/// An open transaction of one project. Rolls back when it is dropped without a commit.
#[derive(Debug)]
pub(crate) struct ProjectTx {
    pub(crate) project: ProjectId,
    /// Where it comes from, if a fault run has to break its commit.
    pub(crate) faulty: Option<(StoreFault, ProjectDb)>,
    /// Encrypts what is written and decrypts what is read.
    pub(crate) sealer: Sealer,
    inner: PooledTransaction,
}

impl ProjectDb {
    pub(crate) async fn read(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.reads, "", None).await
    }

    pub(crate) async fn write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, "", self.fault).await
    }

    /// For statements that only insert.
    pub(crate) async fn ingest(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.ingest, "", self.fault).await
    }

    /// For a search that ends with a receipt. The receipt is committed asynchronously. Plans that read a whole partition are
    /// disabled for a search by vector, because a cached plan may have been made for a small one.
    pub(crate) async fn search_transaction(&self, by: SearchBy) -> Result<ProjectTx, StoreError> {
        let settings = match by {
            SearchBy::Vector => BY_VECTOR,
            SearchBy::Words => BY_WORDS,
        };
        self.begin("begin", &self.pools.reads, settings, None).await
    }

    /// For reading a whole project in one consistent snapshot, without a time limit.
    pub(crate) async fn snapshot_transaction(&self) -> Result<ProjectTx, StoreError> {
        let begin = "begin isolation level repeatable read read only";
        self.begin(begin, &self.pools.reads, IN_PARTS, None).await
    }

    /// For writing many rows at once.
    pub(crate) async fn long_write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, IN_PARTS, self.fault).await
    }

    /// Opens a transaction and sets the project for row-level security in one round trip. The project is a number,
    /// so the statement text cannot contain anything else.
    async fn begin(
        &self,
        begin: &'static str,
        pool: &PgPool,
        more: &'static str,
        fault: Option<StoreFault>,
    ) -> Result<ProjectTx, StoreError> {
        let sealer = match &self.data_keys {
            Some(keys) => keys.sealer(&self.pools.writes, self.project).await?,
            None => Sealer::off(self.project),
        };
        let begin = format!("{begin}; set local reflect.project_id = {}{more}", self.project.number());
        let mut attempt = 1;
        let inner = loop {
            match PooledTransaction::begin(pool, begin.clone()).await {
                Err(sqlx::Error::Io(_)) if attempt < ATTEMPTS => attempt += 1,
                result => break result?,
            }
        };
        let faulty = fault.map(|fault| (fault, self.clone()));
        Ok(ProjectTx { project: self.project, faulty, sealer, inner })
    }

    /// Repeats a statement that removes a batch of rows until it removes none. Each batch is one short transaction.
    /// Returns the number of removed rows.
    pub(crate) async fn repeat(&self, statement: &'static str) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut transaction = self.write().await?;
            let rows =
                sqlx::query(statement).bind(self.project).execute(&mut *transaction).await?.rows_affected();
            transaction.commit().await?;
            removed += rows;
            if rows == 0 {
                return Ok(removed);
            }
        }
    }
}

impl ProjectTx {
    /// Makes the transaction durable. The client may be answered after this, not before.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        match self.faulty {
            #[cfg(debug_assertions)]
            Some((StoreFault::AcknowledgeBeforeCommit, _)) => {
                crate::faults::commit_later(self.inner);
                Ok(())
            }
            _ => self.inner.commit().await.map_err(StoreError::from),
        }
    }
}

impl Deref for ProjectTx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for ProjectTx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}

/// The value behind a stored code.
pub(crate) fn coded<T>(value: Option<T>) -> Result<T, sqlx::Error> {
    value.ok_or_else(|| sqlx::Error::Decode("a stored number is not a known code".into()))
}
