//! What can go wrong in the store, by meaning. The one place that reads Postgres error codes.

use reflect_types::MemoryId;

use crate::requirements::Requirement;

/// Why the store did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not there, or belongs to somebody else, which must look the same.
    #[error("no such {what}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
    },
    /// Something else is there already under the same name.
    #[error("{what}")]
    Conflict {
        /// A sentence that says what clashes.
        what: &'static str,
    },
    /// As many memories are pinned as may be.
    #[error("{} memories are pinned, which is the most: {}", pinned.len(), named(pinned))]
    TooManyPins {
        /// Those that are.
        pinned: Vec<MemoryId>,
    },
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for a different request")]
    KeyReused,
    /// The call was answered before, with a secret that is stored nowhere.
    #[error("this call was answered before, and its answer held a secret that is not kept")]
    SecretGone,
    /// The database cannot be reached or is too busy; the same call may succeed later.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// The database server or its content does not fit this binary.
    #[error(transparent)]
    Requirement(#[from] Requirement),
    /// The migrations could not be applied.
    #[error("the database could not be migrated")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// What was read cannot be what was written.
    #[error("a stored {what} cannot be read")]
    Corrupt {
        /// What was read.
        what: &'static str,
    },
    /// The queue's own library failed.
    #[error("the job queue failed: {0}")]
    Queue(String),
    /// Anything else.
    #[error("the database refused the operation")]
    Database(#[source] sqlx::Error),
}

fn named(memories: &[MemoryId]) -> String {
    let names: Vec<String> = memories.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Postgres codes that pass by themselves: out of connections or memory, shutting down or starting
/// up, waited too long for a lock, was cancelled for taking too long, lost a race, became a standby.
const PASSING: &[&str] = &[
    "53000", "53100", "53200", "53300", "53400", "55P03", "57014", "57P01", "57P02", "57P03", "57P05",
    "40001", "40P01", "25P03", "25006",
];

impl StoreError {
    /// Whether there is no connection to be had, as against one on which something failed.
    pub(crate) fn is_unreachable(&self) -> bool {
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

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        Self::Migration(error)
    }
}

/// Why a first connection was not opened: the operator's to mend, unless it passes by itself.
pub(crate) fn kept_out(error: sqlx::Error) -> StoreError {
    let refusal = error.as_database_error();
    let said = |refusal: &dyn sqlx::error::DatabaseError| refusal.message().to_owned();
    match (&error, refusal.and_then(sqlx::error::DatabaseError::code).as_deref(), refusal) {
        (_, Some("28P01" | "28000"), Some(refusal)) => Requirement::SignIn { said: said(refusal) }.into(),
        (_, Some("3D000"), Some(refusal)) => Requirement::NoDatabase { said: said(refusal) }.into(),
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

/// Whether the user lacks the right to do this.
pub(crate) fn is_refused(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == "42501")
}
