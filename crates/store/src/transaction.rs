//! A transaction on a pooled connection, which survives that its future is dropped.
//!
//! sqlx counts a transaction as open after it has read the response to BEGIN. If the future is dropped before, the
//! transaction is open on the server and sqlx does not roll it back: the next user of the connection would work inside
//! it. The same happens the other way round with COMMIT. Such a connection is closed and not returned to the pool.

use std::fmt;
use std::ops::{Deref, DerefMut};

use reflect_types::Defence;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgTransactionManager;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, SqlSafeStr};
use sqlx_core::transaction::TransactionManager;

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
}

impl fmt::Debug for PooledTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledTransaction").field("state", &self.state).finish_non_exhaustive()
    }
}

impl PooledTransaction {
    /// Runs `statement`, which begins with BEGIN.
    pub(crate) async fn begin(pool: &PgPool, statement: String) -> Result<Self, sqlx::Error> {
        let mut transaction = Self { connection: pool.acquire().await?, state: ServerState::Unknown };
        let statement = AssertSqlSafe(statement).into_sql_str();
        PgTransactionManager::begin(&mut transaction.connection, Some(statement)).await?;
        transaction.state = ServerState::Open;
        Ok(transaction)
    }

    pub(crate) async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.state = ServerState::Unknown;
        PgTransactionManager::commit(&mut self.connection).await?;
        self.state = ServerState::Ended;
        Ok(())
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

impl Deref for PooledTransaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for PooledTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
