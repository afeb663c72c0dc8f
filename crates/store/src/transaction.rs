//! Transactions on pooled connections. Every statement of the store runs in one.
//!
//! **Role and settings belong to the transaction.** BEGIN, the role and all settings are sent together, in one round
//! trip, and end with the transaction. A pooler such as PgBouncer in transaction mode gives each transaction another
//! session of Postgres, where a role that was set for a session is lost, or is left behind for another program.
//!
//! **A dropped future leaves nothing open.** sqlx counts a transaction as open after it has read the response to BEGIN.
//! If the future is dropped before, the transaction is open on the server and sqlx does not roll it back: the next user
//! of the connection would work inside it. The same happens the other way round with COMMIT. So BEGIN and COMMIT are
//! always completed, if necessary in a task of their own: a new connection costs more than many statements. A connection
//! whose state is unknown after an error is closed and not returned to the pool.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reflect_types::Defence;
use sqlx::error::BoxDynError;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTransactionManager, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Describe, Either, Execute, Executor, PgConnection, PgPool, Postgres, SqlSafeStr, SqlStr,
};
use sqlx_core::transaction::TransactionManager;
use tokio::runtime::Handle;

use crate::commit_warnings::Warned;

/// After a restart of the database every pooled connection is dead, so opening a transaction is retried this often.
const ATTEMPTS: usize = 4;
/// Error codes of a server that ended a session: by an administrator, after a crash, after a rest.
const SESSION_ENDS: [&str; 3] = ["57P01", "57P02", "57P05"];

/// A pool whose connections are used in transactions only. As an executor, it runs each statement in one of its own.
#[derive(Debug, Clone)]
pub(crate) struct TransactionPool {
    pool: PgPool,
    /// The role and the settings of every transaction: statements that follow BEGIN.
    prologue: Arc<str>,
    /// Whether prepared statements have names and are kept. A pooler without support for them would give a statement to
    /// a session that does not know it.
    named: bool,
}

impl TransactionPool {
    pub(crate) fn new(pool: PgPool, prologue: &str, named: bool) -> Self {
        Self { pool, prologue: prologue.into(), named }
    }

    /// Opens a transaction. `begin` is its first statement; `settings` override those of the pool.
    pub(crate) async fn begin(&self, begin: &str, settings: &str) -> Result<PooledTransaction, sqlx::Error> {
        let statement = format!("{begin}{}{settings}", self.prologue);
        let mut attempt = 1;
        loop {
            match PooledTransaction::begin(self, statement.clone()).await {
                Err(error) if attempt < ATTEMPTS && has_ended(&error) => attempt += 1,
                result => return result,
            }
        }
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Whether the connection had ended before the statement. A session that the server ended leaves its reason to be read.
fn has_ended(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| SESSION_ENDS.contains(&code.as_ref()))
        }
        _ => false,
    }
}

/// The error of a commit that a crash of the primary can still undo.
fn unknown_outcome() -> sqlx::Error {
    tracing::warn!("a commit may not have reached the synchronous standby, so it is not acknowledged");
    sqlx::Error::Protocol("the server warned during a commit, so its outcome is unknown".to_owned())
}

/// What the server does with the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerState {
    /// BEGIN or COMMIT was sent, and no response was read.
    Unknown,
    Open,
    Ended,
}

/// An open transaction. Rolls back when it is dropped without a commit.
pub(crate) struct PooledTransaction {
    connection: PoolConnection<Postgres>,
    state: ServerState,
    named: bool,
}

impl fmt::Debug for PooledTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledTransaction").field("state", &self.state).finish_non_exhaustive()
    }
}

impl PooledTransaction {
    /// Runs `statement`, which begins with BEGIN.
    async fn begin(pool: &TransactionPool, statement: String) -> Result<Self, sqlx::Error> {
        let connection = pool.pool.acquire().await?;
        let mut transaction = Self { connection, state: ServerState::Unknown, named: pool.named };
        let statement = AssertSqlSafe(statement).into_sql_str();
        Completed::new(async move {
            PgTransactionManager::begin(&mut transaction.connection, Some(statement)).await?;
            transaction.state = ServerState::Open;
            Ok(transaction)
        })
        .await
    }

    /// Success means that the commit is as durable as the server is configured to make it, also on its standbys.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        let mut transaction = self;
        transaction.state = ServerState::Unknown;
        Completed::new(async move {
            let commit = PgTransactionManager::commit(&mut transaction.connection);
            let (committed, warned) = Warned::new(commit).await;
            if committed.is_ok() {
                transaction.state = ServerState::Ended;
            }
            drop(transaction);
            if warned { committed.and(Err(unknown_outcome())) } else { committed }
        })
        .await
    }
}

impl Drop for PooledTransaction {
    fn drop(&mut self) {
        match self.state {
            ServerState::Ended => {}
            ServerState::Unknown if Defence::ConnectionState.is_on() => self.connection.close_on_drop(),
            // Sent before anything else on this connection. A statement whose response was not read ends first.
            ServerState::Open | ServerState::Unknown => {
                PgTransactionManager::start_rollback(&mut self.connection);
            }
        }
    }
}

/// A future that a task completes if it is dropped before its end.
struct Completed<T: Send + 'static>(Option<BoxFuture<'static, T>>);

impl<T: Send + 'static> Completed<T> {
    fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Some(Box::pin(future)))
    }
}

impl<T: Send + 'static> Future for Completed<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(future) = &mut self.0 else { return Poll::Pending };
        let output = std::task::ready!(future.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(output)
    }
}

impl<T: Send + 'static> Drop for Completed<T> {
    fn drop(&mut self) {
        if let Some(rest) = self.0.take()
            && Defence::ConnectionState.is_on()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(rest);
        }
    }
}

/// A statement, with the decision whether it may have a name.
struct Prepared<E> {
    query: E,
    named: bool,
}

impl<'q, E: Execute<'q, Postgres>> Execute<'q, Postgres> for Prepared<E> {
    fn sql(self) -> SqlStr {
        self.query.sql()
    }

    fn statement(&self) -> Option<&PgStatement> {
        self.query.statement()
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        self.query.take_arguments()
    }

    fn persistent(&self) -> bool {
        self.named && self.query.persistent()
    }
}

impl<'c> Executor<'c> for &'c mut PooledTransaction {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let connection: &'c mut PgConnection = &mut self.connection;
        connection.fetch_many(Prepared { query, named: self.named })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let connection: &'c mut PgConnection = &mut self.connection;
        connection.fetch_optional(Prepared { query, named: self.named })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        let connection: &'c mut PgConnection = &mut self.connection;
        connection.prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        let connection: &'c mut PgConnection = &mut self.connection;
        connection.describe(sql)
    }
}

impl<'p> Executor<'p> for &'p TransactionPool {
    type Database = Postgres;

    /// Reads all rows before it returns the first, because they are valid only if the transaction commits.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let results = async move {
            let mut transaction = self.begin("begin", "").await?;
            let results: Vec<Either<PgQueryResult, PgRow>> =
                transaction.fetch_many(query).try_collect().await?;
            transaction.commit().await?;
            Ok::<_, sqlx::Error>(stream::iter(results).map(Ok::<_, sqlx::Error>))
        };
        Box::pin(stream::once(results).try_flatten())
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move {
            let mut transaction = self.begin("begin", "").await?;
            let row = transaction.fetch_optional(query).await?;
            transaction.commit().await?;
            Ok(row)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        Box::pin(async move { self.pool.acquire().await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'p: 'e,
    {
        Box::pin(async move { self.pool.acquire().await?.describe(sql).await })
    }
}
