//! The URLs of the database.

use std::time::Duration;

use clap::Args;
use reflect_store::ReplicaSettings;
use secrecy::SecretString;

use super::secret::secret;

/// The database.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct DatabaseConfig {
    /// The URL of the database: Postgres 15 or newer with pgvector 0.8.4 or newer. Transactions take a restricted role,
    /// so one user is enough. It may go through PgBouncer in transaction mode if --direct-database-url is set.
    #[arg(long, env = "REFLECT_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    pub(crate) database_url: SecretString,

    /// The URL of the same database without a connection pooler, for notifications, locks, jobs and migrations. Default:
    /// the database URL.
    #[arg(long, env = "REFLECT_DIRECT_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    pub(crate) direct_database_url: Option<SecretString>,
}

impl DatabaseConfig {
    /// The URL for sessions.
    pub(crate) fn direct_url(&self) -> &SecretString {
        self.direct_database_url.as_ref().unwrap_or(&self.database_url)
    }
}

/// A standby for retrievals.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Database")]
pub(crate) struct ReplicaConfig {
    /// The URL of a streaming standby that answers retrievals. The primary answers if the standby fails, is too old, or does
    /// not have a memory that was just created. Receipts are written to the primary.
    #[arg(long, env = "REFLECT_READ_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    pub(crate) read_database_url: Option<SecretString>,

    /// How old the data of the standby may be, in seconds. A changed or deleted memory may be served for this time.
    #[arg(long, env = "REFLECT_READ_STALENESS_SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) read_staleness_seconds: u32,
}

impl ReplicaConfig {
    pub(crate) fn settings(&self) -> Option<ReplicaSettings> {
        let url = self.read_database_url.clone()?;
        let max_staleness = Duration::from_secs(self.read_staleness_seconds.into());
        Some(ReplicaSettings { url, max_staleness })
    }
}
