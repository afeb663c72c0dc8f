//! Errors of the store, by meaning. The only place that reads Postgres error codes.

use reflect_types::MemoryId;

use crate::requirements::Requirement;
use crate::sealing::SealError;
use crate::search_turns::NoTurn;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It does not exist, or belongs to another project. Both must look the same.
    #[error("no such {what}")]
    NotFound {
        /// What was not found.
        what: &'static str,
    },
    /// It conflicts with the stored state.
    #[error("{what}")]
    Conflict {
        /// A sentence that names the conflict.
        what: &'static str,
    },
    /// The caller may not do this.
    #[error("{what}")]
    Forbidden {
        /// A sentence that says why, and what to do.
        what: &'static str,
    },
    /// The maximum number of memories is pinned.
    #[error("{} memories are pinned, which is the maximum. Unpin one of: {}", pinned.len(), named(pinned))]
    TooManyPins {
        /// The pinned memories.
        pinned: Vec<MemoryId>,
    },
    /// The memory was merged into another one, so its lesson is that of the other one.
    #[error("this run is part of memory {into}; move that memory instead")]
    PartOfMemory {
        /// The other memory.
        into: MemoryId,
    },
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for a different request")]
    KeyReused,
    /// The call was answered before, with a secret that is not stored.
    #[error("this call was answered before, and its answer contained a secret that is not stored")]
    SecretGone,
    /// The database cannot be reached or is too busy; the same call may succeed later.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// Too many searches of the project wait; the same call may succeed later.
    #[error("too many searches of this project are waiting; retry after 1 second")]
    Busy,
    /// The database server or its content does not fit this binary.
    #[error(transparent)]
    Requirement(#[from] Requirement),
    /// The migrations could not be applied.
    #[error("the database could not be migrated")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// Stored data cannot be decoded.
    #[error("a stored {what} cannot be read")]
    Corrupt {
        /// What was read.
        what: &'static str,
    },
    /// Anything else.
    #[error("the database refused the operation")]
    Database(#[source] sqlx::Error),
}

fn named(memories: &[MemoryId]) -> String {
    let names: Vec<String> = memories.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Temporary Postgres errors: out of connections or memory, shutdown or startup, lock timeout, statement timeout,
/// serialization failure or deadlock, now a standby.
const PASSING: &[&str] = &[
    "53000", "53100", "53200", "53300", "53400", "55P03", "57014", "57P01", "57P02", "57P03", "57P05",
    "40001", "40P01", "25P03", "25006",
];

impl StoreError {
    /// Whether a lock was not available in time, or a deadlock was resolved by ending this transaction. The same
    /// statement can succeed later.
    pub(crate) fn is_lock_timeout(&self) -> bool {
        use sqlx::migrate::MigrateError::{Execute, ExecuteMigration};
        match self {
            Self::Migration(Execute(error) | ExecuteMigration(error, _))
            | Self::Unavailable(error)
            | Self::Database(error) => has_code(error, &["55P03", "40P01"]),
            _ => false,
        }
    }

    /// Whether no connection is available, in contrast to an error on a connection.
    pub fn is_unreachable(&self) -> bool {
        use sqlx::Error::{Io, PoolClosed, PoolTimedOut};
        matches!(self, Self::Unavailable(Io(_) | PoolTimedOut | PoolClosed))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Protocol(_) => Self::Unavailable(error),
            sqlx::Error::Database(refusal) => match refusal.code() {
                Some(code) if PASSING.contains(&code.as_ref()) => Self::Unavailable(error),
                _ => Self::Database(error),
            },
            _ => Self::Database(error),
        }
    }
}

impl From<NoTurn> for StoreError {
    fn from(_: NoTurn) -> Self {
        Self::Busy
    }
}

impl From<SealError> for StoreError {
    fn from(error: SealError) -> Self {
        tracing::error!(%error, "an encrypted value cannot be used: {error}");
        Self::Corrupt { what: "encrypted value" }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Migration(error)
    }
}

/// Maps the error of a first connection to what the operator must fix, unless it is temporary.
pub(crate) fn kept_out(error: sqlx::Error) -> StoreError {
    let refusal = error.as_database_error();
    let said = |refusal: &dyn sqlx::error::DatabaseError| refusal.message().to_owned();
    match (&error, refusal.and_then(sqlx::error::DatabaseError::code).as_deref(), refusal) {
        (_, Some("28P01" | "28000"), Some(refusal)) => Requirement::SignIn { said: said(refusal) }.into(),
        (_, Some("3D000"), Some(refusal)) => Requirement::NoDatabase { said: said(refusal) }.into(),
        // Settings in the first message of a connection, which PgBouncer refuses.
        (_, Some("08P01"), Some(refusal)) if refusal.message().contains("startup parameter") => {
            Requirement::Pooler.into()
        }
        (sqlx::Error::Tls(reason), ..) => Requirement::Tls { reason: reason.to_string() }.into(),
        _ => error.into(),
    }
}

/// Whether the error is a violation of this unique index or constraint.
pub(crate) fn violates(error: &sqlx::Error, constraint: &str) -> bool {
    // The violation names the partition's own index, whose name starts with its parent's words.
    error.as_database_error().is_some_and(|refusal| {
        refusal.is_unique_violation() && refusal.constraint().is_some_and(|name| name.contains(constraint))
    })
}

/// Whether a lock was not available within the time that the statement waits for it.
pub(crate) fn is_lock_timeout(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == "55P03")
}

/// Whether the user lacks the right to do this.
pub(crate) fn is_refused(error: &sqlx::Error) -> bool {
    has_code(error, &["42501"])
}

/// Whether the session has a prepared statement of this name.
pub(crate) fn has_prepared_name(error: &sqlx::Error) -> bool {
    has_code(error, &["42P05"])
}

fn has_code(error: &sqlx::Error, codes: &[&str]) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| codes.contains(&code.as_ref()))
}
