//! Migrations: bring a database to the schema that this binary needs.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::connect;
use crate::error::{StoreError, is_refused};
use crate::indexes::INDEXES;
use crate::layout;
use crate::partitions::keep_partitions;
use crate::requirements::Requirement;
use crate::schema_session::{LockRetry, SchemaSession};
use crate::server_facts::ServerFacts;
use crate::tables::{self, Grant};

/// Migrations of a newer binary are no error: during an upgrade, old and new binaries work side by side. The session that
/// changes the schema holds a lock already.
fn migrator() -> Migrator {
    let mut migrator = sqlx::migrate!("./migrations");
    migrator.set_ignore_missing(true).set_locking(false);
    migrator
}

/// Settings of a new database. Used by the first migration only.
#[derive(Debug, Clone)]
pub struct MigrationSettings {
    /// The database, as a user who may create tables.
    pub url: SecretString,
    /// Into how many parts the tables of projects are split.
    pub hash_partitions: u16,
    /// How many days one partition of a table that grows with time covers.
    pub partition_days: u16,
}

/// The settings through which `grants.sql` gets the tables of each grant.
const GRANTS: [(&str, Grant); 3] = [
    ("reflect.grant_write", Grant::Write),
    ("reflect.grant_append", Grant::Append),
    ("reflect.grant_read", Grant::Read),
];

/// Applies missing migrations, creates the restricted role where that is allowed, grants its rights, builds indexes, creates
/// partitions, and completes the layout. Returns how many migrations were applied. A migration that cannot get a lock is
/// tried again, as a whole.
pub(crate) async fn run(settings: &MigrationSettings) -> Result<usize, StoreError> {
    let mut session = SchemaSession::open(settings.url.expose_secret()).await?;
    let facts = ServerFacts::read(&mut session.connection).await?;
    facts.check()?;
    facts.check_writable()?;
    facts.check_owner()?;
    install_vector(&mut session.connection, &facts).await?;
    if facts.may_create_roles {
        session.connection.execute(include_str!("../sql/maintenance/create_role.sql")).await?;
        session.connection.execute(include_str!("../sql/maintenance/join_role.sql")).await?;
    }
    let before = applied(&mut session.connection).await?.len();
    for (name, value) in [
        ("reflect.hash_partitions", settings.hash_partitions),
        ("reflect.partition_days", settings.partition_days),
    ] {
        session.connection.execute(AssertSqlSafe(format!("set {name} = {value}"))).await?;
    }
    let (migrator, mut retry) = (migrator(), LockRetry::new());
    while let Err(error) = migrator.run(&mut session.connection).await {
        retry.wait(error.into()).await?;
    }
    let after = applied(&mut session.connection).await?.len();
    for (name, grant) in GRANTS {
        let set = sqlx::query(include_str!("../sql/maintenance/set_grant.sql")).bind(name);
        set.bind(tables::granted(grant)).execute(&mut session.connection).await?;
    }
    session.run_exclusively(include_str!("../sql/maintenance/grants.sql")).await?;
    // After the rights: a build waits for all running transactions, and servers need the rights meanwhile.
    for index in INDEXES {
        index.build_in(&mut session).await?;
    }
    let mut retry = LockRetry::new();
    while let Err(error) = keep_partitions(&mut session.connection).await {
        retry.wait(error).await?;
    }
    session.wait_for_locks().await?;
    layout::complete(&mut session.connection).await?;
    session.connection.close().await?;
    index_terms(&session.options).await?;
    Ok(after - before)
}

/// Builds the missing indexes of words and metadata, without blocking writes. An installation with memories gets them after
/// its migration. After the lock of the migration: a process that waits for that lock would block the build, and the build the
/// process.
async fn index_terms(options: &PgConnectOptions) -> Result<(), StoreError> {
    let mut connection = connect::first(options).await?;
    let is_mine: bool = sqlx::query_scalar(include_str!("../sql/maintenance/lead_term_indexes.sql"))
        .fetch_one(&mut connection)
        .await?;
    if is_mine {
        let statements = sqlx::query_scalar(include_str!("../sql/maintenance/missing_term_indexes.sql"));
        let statements: Vec<String> = statements.fetch_all(&mut connection).await?;
        for statement in statements {
            connection.execute(AssertSqlSafe(statement)).await?;
        }
    }
    connection.close().await?;
    Ok(())
}

/// Before the migrations, because a user without the right must get a clear error.
async fn install_vector(connection: &mut PgConnection, facts: &ServerFacts) -> Result<(), StoreError> {
    if facts.vector.is_some() {
        return Ok(());
    }
    let installed = connection.execute(include_str!("../sql/maintenance/install_vector.sql")).await;
    match installed {
        Ok(_) => Ok(()),
        Err(error) if is_refused(&error) => {
            Err(Requirement::ExtensionRight { user: facts.user_name.clone() }.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Identifies the schema. Test databases are cloned from a template of this name.
pub fn migrations_digest() -> String {
    let mut digest = Sha256::new();
    for migration in migrator().iter() {
        digest.update(&migration.checksum);
    }
    digest.update(include_str!("../sql/maintenance/grants.sql"));
    for (_, grant) in GRANTS {
        digest.update(tables::granted(grant));
    }
    for index in INDEXES {
        digest.update(index.name);
        digest.update(index.definition);
    }
    digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

async fn applied(connection: &mut PgConnection) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
    let known: bool = sqlx::query_scalar(include_str!("../sql/maintenance/has_migrations.sql"))
        .fetch_one(&mut *connection)
        .await?;
    if !known {
        return Ok(Vec::new());
    }
    let applied = sqlx::query_as(include_str!("../sql/maintenance/applied.sql"));
    Ok(applied.fetch_all(connection).await?)
}

/// Refuses a database that lacks a migration, or has one with another checksum. `restricted` says whether the connection
/// has taken the restricted role, which gets its rights at the end of a migration.
pub(crate) async fn check(connection: &mut PgConnection, restricted: bool) -> Result<(), StoreError> {
    let applied = match applied(connection).await {
        Err(StoreError::Database(error)) if restricted && is_refused(&error) => {
            return Err(Requirement::RoleRights.into());
        }
        applied => applied?,
    };
    let mut missing = 0;
    for migration in migrator().iter() {
        match applied.iter().find(|(version, _)| *version == migration.version) {
            None => missing += 1,
            Some((_, checksum)) if checksum.as_slice() != migration.checksum.as_ref() => {
                return Err(Requirement::ForeignMigration { version: migration.version }.into());
            }
            Some(_) => {}
        }
    }
    if missing > 0 {
        return Err(Requirement::Migrations { missing }.into());
    }
    Ok(())
}
