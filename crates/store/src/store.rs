//! The store itself: a checked database and the pools to work with it.

use std::fmt;
use std::sync::Arc;

use reflect_types::ProjectId;
use secrecy::{ExposeSecret, SecretString};
use sqlx::Connection;
use sqlx::postgres::PgConnectOptions;

use crate::connect::{self, Fault, Pools};
use crate::error::StoreError;
use crate::migrate;
use crate::project_ctx::ProjectCtx;
use crate::requirements::ServerFacts;
use crate::traces::Gathering;

/// Where the data is and how much of the database server we may use.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// The database. One URL is enough: connections step down to a restricted role by themselves.
    pub url: SecretString,
    /// The most connections, over all pools.
    pub max_connections: u32,
    /// A fault to build in; never set outside fault runs.
    pub fault: Option<Fault>,
}

/// A database that fits this binary.
#[derive(Clone)]
pub struct Store {
    pub(crate) pools: Pools,
    pub(crate) owner: PgConnectOptions,
    pub(crate) fault: Option<Fault>,
    pub(crate) gathering: Arc<Gathering>,
    facts: ServerFacts,
    restricted: bool,
}

/// Without the options to connect with, which hold the password.
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("facts", &self.facts)
            .field("restricted", &self.restricted)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Connects, and checks that server, migrations and role are as they must be.
    pub async fn connect(settings: &StoreSettings) -> Result<Self, StoreError> {
        let owner = connect::options(settings.url.expose_secret())?;
        let mut connection = connect::first(&owner).await?;
        let facts = ServerFacts::read(&mut connection).await?;
        facts.check()?;
        migrate::check(&mut connection).await?;
        let restricted = facts.restriction()?;
        connection.close().await?;
        let pools = Pools::open(&owner, restricted, settings.max_connections);
        Ok(Self { pools, owner, fault: settings.fault, gathering: Arc::default(), facts, restricted })
    }

    /// The way to one project's rows.
    pub fn project(&self, project: ProjectId) -> ProjectCtx {
        ProjectCtx::new(self, project)
    }

    /// The way to what belongs to no project.
    pub fn installation(&self) -> ProjectCtx {
        self.project(ProjectId::INSTALLATION)
    }

    /// Whether connections work under the restricted role rather than as the URL's own user.
    pub const fn is_restricted(&self) -> bool {
        self.restricted
    }

    /// Refuses a database on which nothing can be written, such as a standby.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        Ok(self.facts.check_writable()?)
    }

    /// What the database server is, for the log.
    pub fn versions(&self) -> String {
        self.facts.versions()
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.pools.reads.acquire().await?.ping().await?;
        Ok(())
    }

    /// Lets every connection finish and closes it.
    pub async fn close(&self) {
        self.pools.reads.close().await;
        self.pools.writes.close().await;
        self.pools.ingest.close().await;
        self.pools.work.close().await;
    }
}
