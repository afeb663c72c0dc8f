//! A session that changes the schema of a database in use.
//!
//! A statement that changes a table needs an exclusive lock for a moment. While it waits for a running transaction, all later
//! statements on that table wait behind it. So it gives up after 100 ms and is tried again, until the table is free.
//! `cargo xtask tidy` refuses migrations that would hold such a lock for longer than a moment.

use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, PgConnection};

use crate::connect;
use crate::error::StoreError;
use crate::requirements::Requirement;

/// How long a statement waits for its locks, in milliseconds.
const LOCK_TIMEOUT: &str = "100";
/// For statements that do not block others while they wait.
const NO_LOCK_TIMEOUT: &str = "0";
/// The pause after the first attempt. It doubles up to the longest one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The pause between two attempts to become the process that migrates.
const LOCK_PAUSE: Duration = Duration::from_millis(200);
const GIVE_UP: Duration = Duration::from_secs(600);

/// A session that may change the schema. One at a time; others wait.
pub(crate) struct SchemaSession {
    pub(crate) connection: PgConnection,
    pub(crate) options: PgConnectOptions,
}

impl SchemaSession {
    /// Connects, and waits until no other process changes the schema.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        // Slow statements are normal here and do not belong into the log.
        let options = connect::session_options(url)?.options([("lock_timeout", NO_LOCK_TIMEOUT)]);
        let options = options.disable_statement_logging();
        let mut connection = connect::first(&options).await?;
        if !connect::has_session(&mut connection).await? {
            return Err(Requirement::Pooler.into());
        }
        loop {
            let lock = sqlx::query_scalar(include_str!("../sql/maintenance/lock_migration.sql"));
            let is_mine: bool = lock.fetch_one(&mut connection).await?;
            if is_mine {
                break;
            }
            tokio::time::sleep(LOCK_PAUSE).await;
        }
        let mut session = Self { connection, options };
        session.set_lock_timeout(LOCK_TIMEOUT).await?;
        Ok(session)
    }

    /// Lets statements wait for locks without a limit, for those that set a limit themselves or block no others.
    pub(crate) async fn wait_for_locks(&mut self) -> Result<(), StoreError> {
        self.set_lock_timeout(NO_LOCK_TIMEOUT).await
    }

    /// Runs a statement that runs concurrently with writes. It waits for all running transactions, but blocks none.
    pub(crate) async fn run_concurrently(&mut self, statement: String) -> Result<(), StoreError> {
        self.set_lock_timeout(NO_LOCK_TIMEOUT).await?;
        let done = self.connection.execute(AssertSqlSafe(statement)).await;
        self.set_lock_timeout(LOCK_TIMEOUT).await?;
        done?;
        Ok(())
    }

    /// Runs a statement that needs an exclusive lock for a moment.
    pub(crate) async fn run_exclusively(&mut self, statement: &str) -> Result<(), StoreError> {
        let mut retry = LockRetry::new();
        loop {
            match self.connection.execute(AssertSqlSafe(statement)).await {
                Ok(_) => return Ok(()),
                Err(error) => retry.wait(error.into()).await?,
            }
        }
    }

    async fn set_lock_timeout(&mut self, milliseconds: &str) -> Result<(), StoreError> {
        self.connection.execute(AssertSqlSafe(format!("set lock_timeout = {milliseconds}"))).await?;
        Ok(())
    }
}

/// Repeats something that failed because a table was in use.
pub(crate) struct LockRetry {
    began: Instant,
    pause: Duration,
}

impl LockRetry {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), pause: FIRST_PAUSE }
    }

    /// Waits before the next attempt. Returns the error if another attempt cannot help.
    pub(crate) async fn wait(&mut self, error: StoreError) -> Result<(), StoreError> {
        if !error.is_lock_timeout() {
            return Err(error);
        }
        if self.began.elapsed() > GIVE_UP {
            return Err(Requirement::TableInUse { minutes: GIVE_UP.as_secs() / 60 }.into());
        }
        tracing::info!("a table is in use; the change is tried again in {} ms", self.pause.as_millis());
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}
