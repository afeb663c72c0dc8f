//! The way in: [`Store`] for an installation, [`ProjectCtx`] for one project. Both only hand out stores of one subject.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use reflect_types::ProjectId;
use secrecy::{ExposeSecret, SecretString};
use sqlx::{Connection, Executor, PgConnection};

use crate::admin::AdminStore;
use crate::catalogue::CatalogueStore;
use crate::connect::{self, Pools, Reached, StoreFault};
use crate::curation::CurationStore;
use crate::data_keys::{DataKeys, check_keys};
use crate::db::{Db, ProjectDb};
use crate::erasures::ErasureStore;
use crate::error::StoreError;
use crate::identities::IdentityStore;
use crate::insights::InsightStore;
use crate::job_signal::JobSignal;
use crate::jobs::JobStore;
use crate::judgements::JudgementStore;
use crate::keys::KeyStore;
use crate::learning::LearningStore;
use crate::lessons::LessonStore;
use crate::maintenance::MaintenanceStore;
use crate::members::MemberStore;
use crate::memories::MemoryStore;
use crate::migrate::{self, MigrationSettings};
use crate::moving::{ImportStore, MoveStore};
use crate::notifications::NotificationStore;
use crate::point_plans::KeptPlans;
use crate::receipts::ReceiptStore;
use crate::replica::{Replica, ReplicaOf, ReplicaSettings};
use crate::requirements::Requirement;
use crate::review_queue::QueueStore;
use crate::reviews::ReviewStore;
use crate::sealing::EncryptionKeys;
use crate::server_facts::ServerFacts;
use crate::sessions::SessionStore;
use crate::spaces::SpaceStore;
use crate::traces::{CommitBatcher, TraceStore};

/// Where the data is and how much of the database server Reflect may use.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// The database. It may go through a connection pooler in transaction mode. Transactions take a restricted role.
    pub url: SecretString,
    /// The same database without a pooler, for notifications, locks and the job queue. `None`: `url` uses no pooler.
    pub direct_url: Option<SecretString>,
    /// A standby that answers retrievals.
    pub replica: Option<ReplicaSettings>,
    /// Maximum number of connections over all pools. A replica has connections in addition.
    pub max_connections: u32,
    /// The keys with which bodies and feedback are encrypted. `None`: they are stored in plain text.
    pub encryption: Option<EncryptionKeys>,
    /// A fault to build in. Only fault runs set it.
    pub fault: Option<StoreFault>,
}

impl StoreSettings {
    /// One database, without a pooler, a replica and encryption.
    pub const fn new(url: SecretString, max_connections: u32) -> Self {
        Self { url, direct_url: None, replica: None, max_connections, encryption: None, fault: None }
    }
}

/// A database that this binary can work with.
#[derive(Clone)]
pub struct Store {
    db: Db,
    batcher: Arc<CommitBatcher>,
    server: ServerFacts,
}

/// Without the connection options, which hold the password.
impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Store {
    /// Connects, and checks the server, the migrations, the role and the encryption keys.
    pub async fn connect(settings: &StoreSettings) -> Result<Self, StoreError> {
        let (server, connection) = Reached::connect(settings.url.expose_secret()).await?;
        let (direct, mut connection) = match &settings.direct_url {
            Some(url) => Reached::connect(url.expose_secret()).await?,
            None => (server.clone(), connection),
        };
        if !direct.is_session {
            return Err(Requirement::Pooler.into());
        }
        direct.facts.check()?;
        if direct.facts.is_restricted() {
            connection.execute(connect::RESTRICT).await?;
        }
        migrate::check(&mut connection, direct.facts.is_restricted()).await?;
        check_keys(&mut connection, settings.encryption.as_ref()).await?;
        let kept_plans = KeptPlans::read(&mut connection).await?;
        let pools = Pools::open(&server, &direct, settings.max_connections, settings.fault)?;
        let replica = open_replica(settings, &server, &pools, &mut connection).await?;
        connection.close().await?;
        let data_keys = settings.encryption.clone().map(|keys| Arc::new(DataKeys::new(keys)));
        let (restricted, job_signal) = (direct.facts.restriction()?, JobSignal::new(pools.work.clone()));
        let db = Db {
            pools,
            owner: direct.options,
            restricted,
            replica,
            fault: settings.fault,
            data_keys,
            kept_plans,
            job_signal,
            receipts: Arc::default(),
        };
        Ok(Self { db, batcher: Arc::default(), server: direct.facts.weaker(&server.facts) })
    }

    /// Applies missing migrations. Returns how many were applied.
    pub async fn migrate(settings: &MigrationSettings) -> Result<usize, StoreError> {
        migrate::run(settings).await
    }

    /// The rows of one project.
    pub fn project(&self, project: ProjectId) -> ProjectCtx {
        ProjectCtx { db: self.db.project(project), batcher: self.batcher.clone() }
    }

    /// The rows that belong to no project: master keys and the installation's audit log.
    pub fn installation(&self) -> ProjectCtx {
        self.project(ProjectId::INSTALLATION)
    }

    /// What is known about the database server.
    pub const fn server(&self) -> &ServerFacts {
        &self.server
    }

    /// Checks that the database answers, on a connection of its own. Returns whether it accepts writes: a standby and a
    /// read-only server do not.
    pub async fn ping(&self) -> Result<bool, StoreError> {
        let accepts = sqlx::query_scalar(include_str!("../sql/maintenance/accepts_writes.sql"));
        Ok(accepts.fetch_one(&self.db.pools.probe).await?)
    }

    /// Stores the receipts that wait, waits for running statements, and closes all connections.
    pub async fn close(&self) {
        self.db.receipts.flush_all().await;
        self.db.pools.close().await;
        if let Some(replica) = &self.db.replica {
            replica.close().await;
        }
    }

    /// Lookups that need no project: keys, projects, embedding spaces.
    pub const fn catalogue(&self) -> CatalogueStore<'_> {
        CatalogueStore { db: &self.db }
    }

    /// People who may sign in.
    pub const fn members(&self) -> MemberStore<'_> {
        MemberStore { db: &self.db }
    }

    /// Identities at identity providers.
    pub const fn identities(&self) -> IdentityStore<'_> {
        IdentityStore { db: &self.db }
    }

    /// Browsers that are signed in.
    pub const fn sessions(&self) -> SessionStore<'_> {
        SessionStore { db: &self.db }
    }

    /// Imports of projects from another database.
    pub const fn imports(&self) -> ImportStore<'_> {
        ImportStore { db: &self.db }
    }

    /// Periodic work: partitions, expiry, purges.
    pub const fn maintenance(&self) -> MaintenanceStore<'_> {
        MaintenanceStore { db: &self.db }
    }

    /// The job queue and its worker.
    pub const fn jobs(&self) -> JobStore<'_> {
        JobStore { db: &self.db }
    }

    /// Messages between the processes of one database.
    pub const fn notifications(&self) -> NotificationStore<'_> {
        NotificationStore { db: &self.db }
    }
}

/// Checks that all URLs reach the same database, and opens the replica.
async fn open_replica(
    settings: &StoreSettings,
    server: &Reached,
    pools: &Pools,
    direct: &mut PgConnection,
) -> Result<Option<Arc<Replica>>, StoreError> {
    if settings.direct_url.is_none() && settings.replica.is_none() {
        return Ok(None);
    }
    let statement = include_str!("../sql/maintenance/installed_at.sql");
    let installed_at: DateTime<Utc> = sqlx::query_scalar(statement).fetch_one(direct).await?;
    if settings.direct_url.is_some() {
        let pooled: DateTime<Utc> = sqlx::query_scalar(statement).fetch_one(&pools.reads).await?;
        if pooled != installed_at {
            return Err(Requirement::OtherDatabase { setting: "REFLECT_DIRECT_DATABASE_URL" }.into());
        }
    }
    let Some(replica) = settings.replica.clone() else { return Ok(None) };
    let (restricted, connections) = (server.facts.is_restricted(), settings.max_connections);
    let of = ReplicaOf { installed_at, restricted, connections, fault: settings.fault };
    Ok(Some(Arc::new(Replica::open(replica, of).await?)))
}

/// One project of the store.
#[derive(Debug, Clone)]
pub struct ProjectCtx {
    db: ProjectDb,
    batcher: Arc<CommitBatcher>,
}

impl ProjectCtx {
    /// Recorded runs.
    pub const fn traces(&self) -> TraceStore<'_> {
        TraceStore { db: &self.db, batcher: &self.batcher }
    }

    /// Reviews of runs.
    pub const fn reviews(&self) -> ReviewStore<'_> {
        ReviewStore { db: &self.db }
    }

    /// Runs that wait for a review.
    pub const fn queue(&self) -> QueueStore<'_> {
        QueueStore { db: &self.db }
    }

    /// Memories: search, lists, details.
    pub const fn memories(&self) -> MemoryStore<'_> {
        MemoryStore { db: &self.db }
    }

    /// Receipts of retrievals.
    pub const fn receipts(&self) -> ReceiptStore<'_> {
        ReceiptStore { db: &self.db }
    }

    /// Changes to memories, and undo.
    pub const fn curation(&self) -> CurationStore<'_> {
        CurationStore { db: &self.db }
    }

    /// Lessons, which hold one or more memories, and the skill that is written from them.
    pub const fn lessons(&self) -> LessonStore<'_> {
        LessonStore { db: &self.db }
    }

    /// The progress of learning from reviews.
    pub const fn learning(&self) -> LearningStore<'_> {
        LearningStore { db: &self.db }
    }

    /// Verdicts of the project's judge.
    pub const fn judgements(&self) -> JudgementStore<'_> {
        JudgementStore { db: &self.db }
    }

    /// The project's embedding spaces, and migrations between them.
    pub const fn spaces(&self) -> SpaceStore<'_> {
        SpaceStore { db: &self.db }
    }

    /// Removal of a run or of a subject.
    pub const fn erasures(&self) -> ErasureStore<'_> {
        ErasureStore { db: &self.db }
    }

    /// Counts for the overview and for loop health.
    pub const fn insights(&self) -> InsightStore<'_> {
        InsightStore { db: &self.db }
    }

    /// API keys.
    pub const fn keys(&self) -> KeyStore<'_> {
        KeyStore { db: &self.db }
    }

    /// Settings, retention, audit log, deletion.
    pub const fn admin(&self) -> AdminStore<'_> {
        AdminStore { db: &self.db }
    }

    /// Export and import of the project's rows.
    pub const fn moving(&self) -> MoveStore<'_> {
        MoveStore { db: &self.db }
    }
}
