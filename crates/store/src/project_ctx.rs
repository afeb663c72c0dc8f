//! The only way to a connection for anything that belongs to a project.

use std::sync::Arc;

use reflect_types::ProjectId;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};

use crate::connect::{Fault, Pools};
use crate::error::StoreError;
use crate::store::Store;
use crate::traces::Gathering;

/// How often a transaction is tried to be opened when connections turn out to be dead, as they all
/// are after a restart of the database.
const ATTEMPTS: usize = 4;
const BY_VECTOR: &str = "; set local enable_seqscan = off; set local enable_bitmapscan = off; \
                         set local synchronous_commit = off";
const BY_WORDS: &str = "; set local synchronous_commit = off";
/// A part of a pack may take its time, and between two of them files are written. Nobody waits for the answer, so it waits
/// for others: after a kill the database may take a while to notice, and to let go of what the killed one held.
const IN_PARTS: &str = "; set local statement_timeout = 120000; set local lock_timeout = 0; \
                        set local idle_in_transaction_session_timeout = 0";

/// How memories are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchBy {
    /// By meaning.
    Vector,
    /// By the words they share with the question.
    Words,
}

/// One project of the store. Every method that touches rows of a project is a method of this type,
/// spread over the files named after those rows.
#[derive(Debug, Clone)]
pub struct ProjectCtx {
    pools: Pools,
    pub(crate) fault: Option<Fault>,
    pub(crate) gathering: Arc<Gathering>,
    pub(crate) project: ProjectId,
}

impl ProjectCtx {
    pub(crate) fn new(store: &Store, project: ProjectId) -> Self {
        Self { pools: store.pools.clone(), fault: store.fault, gathering: store.gathering.clone(), project }
    }

    pub(crate) async fn read(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin(&self.pools.reads).await
    }

    pub(crate) async fn write(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin(&self.pools.writes).await
    }

    /// For statements that only insert.
    pub(crate) async fn ingest(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin(&self.pools.ingest).await
    }

    /// For a search that ends with a receipt, which does not wait for the disk. By vector, plans that
    /// would read a whole partition are not even considered.
    pub(crate) async fn search_transaction(
        &self,
        by: SearchBy,
    ) -> Result<Transaction<'static, Postgres>, StoreError> {
        let settings = match by {
            SearchBy::Vector => BY_VECTOR,
            SearchBy::Words => BY_WORDS,
        };
        self.begin_with(&self.pools.reads, settings).await
    }

    /// For reading a whole project as it is at one moment, however long that takes.
    pub(crate) async fn snapshot_transaction(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let begin = "begin isolation level repeatable read read only";
        self.begin_as(begin, &self.pools.reads, IN_PARTS).await
    }

    /// For writing many rows at once.
    pub(crate) async fn long_write(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin_with(&self.pools.writes, IN_PARTS).await
    }

    async fn begin(&self, pool: &PgPool) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin_with(pool, "").await
    }

    async fn begin_with(
        &self,
        pool: &PgPool,
        more: &'static str,
    ) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin_as("begin", pool, more).await
    }

    /// Opens a transaction and names the project to row-level security, in one round trip. The
    /// project is a number, so the text that is sent cannot carry anything else.
    async fn begin_as(
        &self,
        begin: &'static str,
        pool: &PgPool,
        more: &'static str,
    ) -> Result<Transaction<'static, Postgres>, StoreError> {
        let begin = format!("{begin}; set local reflect.project_id = {}{more}", self.project.number());
        let mut attempt = 1;
        loop {
            match pool.begin_with(AssertSqlSafe(begin.clone())).await {
                Err(sqlx::Error::Io(_)) if attempt < ATTEMPTS => attempt += 1,
                result => return result.map_err(StoreError::from),
            }
        }
    }

    /// Runs a statement that removes some rows until it finds none, in transactions short enough to
    /// be in nobody's way. Says how many rows went.
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

    /// Makes a transaction's work durable. The answer to a client may be sent after this, not before.
    pub(crate) async fn commit(&self, transaction: Transaction<'static, Postgres>) -> Result<(), StoreError> {
        match self.fault {
            #[cfg(feature = "faults")]
            Some(Fault::AcknowledgeBeforeCommit) => {
                crate::faults::commit_later(transaction);
                Ok(())
            }
            _ => transaction.commit().await.map_err(StoreError::from),
        }
    }
}
