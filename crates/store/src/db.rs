//! The only source of transactions: every statement about rows of a project runs in a [`ProjectTx`].

use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use reflect_types::{CrashPoint, ProjectId};
use sqlx::postgres::PgConnectOptions;

use crate::connect::{ACQUIRE, ACQUIRE_REPLICA, Pools, StoreFault};
use crate::data_keys::DataKeys;
use crate::error::StoreError;
use crate::job_signal::JobSignal;
use crate::outbox::{Outgoing, store_outgoing};
use crate::point_plans::KeptPlans;
use crate::receipt_queue::ReceiptQueue;
use crate::replica::Replica;
use crate::sealing::Sealer;
use crate::search_turns::SearchTurn;
use crate::transaction::{PooledTransaction, TransactionPool};

/// The plan of a search may be kept: the statements are the same for all projects, and planning one costs more than it saves.
/// Such a plan must not read a whole partition, because it may have been made for a small one.
const BY_VECTOR: &str = "; set local enable_seqscan = off; set local enable_bitmapscan = off";
/// The commit does not wait for the disk. A crash of the database server may lose the last second of such commits.
const RELAXED: &str = "; set local synchronous_commit = off";
/// No caller waits for a receipt, and the commit of a run that names it also makes the receipt durable. The transaction of
/// a process that is stopped ends on the server, so that it cannot be committed much later.
const RECEIPTS: &str =
    "; set local synchronous_commit = off; set local idle_in_transaction_session_timeout = 2000";
/// Transactions that cause events wait for the locks of these. If the process is stopped in between, the server ends them.
const SENDING: &str = "; set local idle_in_transaction_session_timeout = 1000";
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

impl SearchBy {
    const fn settings(self, plans: KeptPlans) -> [&'static str; 2] {
        match self {
            Self::Vector => [BY_VECTOR, plans.search],
            Self::Words => ["", ""],
        }
    }
}

/// One database: its pools, and how to open a session of the URL's user. Sessions are for what outlives a transaction
/// (notifications, advisory locks) and for what the pools' role may not do. They never go through a pooler.
#[derive(Clone)]
pub(crate) struct Db {
    pub(crate) pools: Pools,
    pub(crate) owner: PgConnectOptions,
    /// Whether a session that does the work of the server takes the restricted role.
    pub(crate) restricted: bool,
    /// Answers retrievals if it is fresh enough.
    pub(crate) replica: Option<Arc<Replica>>,
    pub(crate) fault: Option<StoreFault>,
    /// `None` if values are stored in plain text.
    pub(crate) data_keys: Option<Arc<DataKeys>>,
    /// Settings of transactions that keep their plans.
    pub(crate) kept_plans: KeptPlans,
    pub(crate) job_signal: JobSignal,
    /// The receipts of this process that are not stored yet.
    pub(crate) receipts: Arc<ReceiptQueue>,
}

/// Without `owner`, which holds the password.
impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("fault", &self.fault).finish_non_exhaustive()
    }
}

impl Db {
    pub(crate) fn project(&self, project: ProjectId) -> ProjectDb {
        ProjectDb {
            pools: self.pools.clone(),
            replica: self.replica.clone(),
            fault: self.fault,
            data_keys: self.data_keys.clone(),
            kept_plans: self.kept_plans,
            job_signal: self.job_signal.clone(),
            receipts: self.receipts.clone(),
            project,
        }
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
    pub(crate) replica: Option<Arc<Replica>>,
    pub(crate) fault: Option<StoreFault>,
    data_keys: Option<Arc<DataKeys>>,
    kept_plans: KeptPlans,
    job_signal: JobSignal,
    pub(crate) receipts: Arc<ReceiptQueue>,
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
    /// Events that are stored with the commit.
    pub(crate) outgoing: Outgoing,
    /// Whether workers are woken after the commit.
    announces_jobs: bool,
    job_signal: JobSignal,
    inner: PooledTransaction,
}

impl ProjectDb {
    pub(crate) async fn read(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.reads, &[], None).await
    }

    /// For reads that find their rows by key. Their plans are kept.
    pub(crate) async fn point_read(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.reads, &[self.kept_plans.point], None).await
    }

    pub(crate) async fn write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, &[], self.fault).await
    }

    /// For writes that find their rows by key. Their plans are kept.
    pub(crate) async fn point_write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, &[self.kept_plans.point], self.fault).await
    }

    /// The same for what can be lost in a crash of the database server: the commit does not wait for the disk.
    pub(crate) async fn relaxed_point_write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, &[self.kept_plans.point, RELAXED], self.fault).await
    }

    /// For statements that store traces. Their plans are kept.
    pub(crate) async fn ingest(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.ingest, &[], self.fault).await
    }

    /// For one short look-up by key that must not wait for the searches of other requests.
    pub(crate) async fn look_up(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.lookups, &[self.kept_plans.point], None).await
    }

    /// For a search. It writes nothing, so it also works on a server that is read-only or has no space left. Nothing that it
    /// reads is encrypted. The turn is kept until its end.
    pub(crate) async fn search_transaction(
        &self,
        by: SearchBy,
    ) -> Result<(ProjectTx, SearchTurn), StoreError> {
        // Before the connection: a search that waits for its turn must not hold one.
        let turn = self.pools.search_turns.take(self.project, by == SearchBy::Words, ACQUIRE).await?;
        let (pool, sealer) = (&self.pools.searches, Sealer::off(self.project));
        Ok((open(self, sealer, "begin read only", pool, &by.settings(self.kept_plans), None).await?, turn))
    }

    /// The same on a replica, whose connections are not shared with other reads.
    pub(crate) async fn replica_transaction(
        &self,
        replica: &Replica,
        by: SearchBy,
    ) -> Result<(ProjectTx, SearchTurn), StoreError> {
        let (pool, sealer) = (replica.pool().await?, Sealer::off(self.project));
        let turn = pool.search_turns.take(self.project, by == SearchBy::Words, ACQUIRE_REPLICA).await?;
        let settings = by.settings(self.kept_plans);
        Ok((open(self, sealer, "begin read only", &pool.reads, &settings, None).await?, turn))
    }

    /// For inserting receipts of several projects, this one first. Receipts are not encrypted.
    pub(crate) async fn receipt_transaction(&self) -> Result<ProjectTx, StoreError> {
        let (pool, sealer) = (&self.pools.ingest, Sealer::off(self.project));
        open(self, sealer, "begin", pool, &[RECEIPTS], None).await
    }

    /// Returns when the project's receipts of this process are stored or given up. A transaction that begins afterwards
    /// sees them.
    pub(crate) async fn flush_receipts(&self) {
        match self.fault {
            #[cfg(debug_assertions)]
            Some(StoreFault::NoReceiptWait) => {}
            _ => self.receipts.flush(self.project).await,
        }
    }

    /// For reading a whole project in one consistent snapshot, without a time limit.
    pub(crate) async fn snapshot_transaction(&self) -> Result<ProjectTx, StoreError> {
        let begin = "begin isolation level repeatable read read only";
        self.begin(begin, &self.pools.reads, &[IN_PARTS], None).await
    }

    /// For writing many rows at once.
    pub(crate) async fn long_write(&self) -> Result<ProjectTx, StoreError> {
        self.begin("begin", &self.pools.writes, &[IN_PARTS], self.fault).await
    }

    /// Opens a transaction that may read and write encrypted values.
    async fn begin(
        &self,
        begin: &'static str,
        pool: &TransactionPool,
        settings: &[&'static str],
        fault: Option<StoreFault>,
    ) -> Result<ProjectTx, StoreError> {
        let sealer = match &self.data_keys {
            Some(keys) => keys.sealer(&self.pools.writes, self.project).await?,
            None => Sealer::off(self.project),
        };
        open(self, sealer, begin, pool, settings, fault).await
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

/// For what processes do that send webhooks. Its commit does not wait for the disk: after a crash of the database server an
/// event may be sent once more.
pub(crate) async fn sender_transaction(db: &ProjectDb) -> Result<ProjectTx, StoreError> {
    db.begin("begin", &db.pools.writes, &[db.kept_plans.point, RELAXED, SENDING], db.fault).await
}

/// Opens a transaction and sets role and project for row-level security in one round trip. The project is a number, so
/// the statement text cannot contain anything else.
async fn open(
    db: &ProjectDb,
    sealer: Sealer,
    begin: &'static str,
    pool: &TransactionPool,
    settings: &[&'static str],
    fault: Option<StoreFault>,
) -> Result<ProjectTx, StoreError> {
    let project = db.project.number();
    let settings = format!("; set local reflect.project_id = {project}{}", settings.concat());
    let inner = pool.begin(begin, &settings).await?;
    let faulty = fault.map(|fault| (fault, db.clone()));
    let job_signal = db.job_signal.clone();
    let outgoing = Outgoing::default();
    Ok(ProjectTx { project: db.project, faulty, sealer, outgoing, announces_jobs: false, job_signal, inner })
}

impl ProjectTx {
    /// Wakes workers after the commit, because this transaction queued a job that is due.
    pub(crate) const fn announce_jobs(&mut self) {
        self.announces_jobs = true;
    }

    /// Whether a fault run builds this fault into the transaction.
    #[cfg(debug_assertions)]
    pub(crate) fn has_fault(&self, fault: StoreFault) -> bool {
        self.faulty.as_ref().is_some_and(|(built_in, _)| *built_in == fault)
    }

    /// Stores the events of the transaction and makes it durable. The client may be answered after this, not before.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        let outgoing = mem::take(&mut self.outgoing);
        if !outgoing.is_empty() {
            match self.faulty.clone() {
                #[cfg(debug_assertions)]
                Some((StoreFault::EventsOutsideTransaction, db)) => crate::faults::later(async move {
                    let mut transaction = db.write().await?;
                    store_outgoing(&mut transaction, db.project, &outgoing).await?;
                    Ok(transaction.inner.commit().await?)
                }),
                // Boxed, because every transaction has a place for it, and few need it.
                _ => Box::pin(store_outgoing(&mut self.inner, self.project, &outgoing)).await?,
            }
        }
        match self.faulty {
            #[cfg(debug_assertions)]
            Some((StoreFault::AcknowledgeBeforeCommit, _)) => crate::faults::commit_later(self.inner),
            _ => self.inner.commit().await?,
        }
        if self.announces_jobs {
            self.job_signal.announce();
        }
        Ok(())
    }

    /// Ends the transaction of a repeated call, and returns the earlier answer when what it says is as durable as the answer
    /// to a first call.
    pub(crate) async fn repeat<T>(self, earlier: T) -> Result<T, StoreError> {
        self.commit().await?;
        Ok(earlier)
    }

    /// The same, for a fault run that ends the process before or after it.
    pub(crate) async fn commit_at(self, point: CrashPoint) -> Result<(), StoreError> {
        point.before();
        self.commit().await?;
        point.after();
        Ok(())
    }
}

impl Deref for ProjectTx {
    type Target = PooledTransaction;

    fn deref(&self) -> &PooledTransaction {
        &self.inner
    }
}

impl DerefMut for ProjectTx {
    fn deref_mut(&mut self) -> &mut PooledTransaction {
        &mut self.inner
    }
}

/// The value behind a stored code.
pub(crate) fn coded<T>(value: Option<T>) -> Result<T, sqlx::Error> {
    value.ok_or_else(|| sqlx::Error::Decode("a stored number is not a known code".into()))
}
