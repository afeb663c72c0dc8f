//! Requirements on the database server, and what to do if one is not met.

/// Oldest Postgres that is supported.
pub(crate) const POSTGRES: i32 = 15;

/// A requirement that is not met. The message is for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Requirement {
    /// Postgres is too old.
    #[error(
        "Postgres {found} is too old: Reflect needs {POSTGRES} or newer. Point REFLECT_DATABASE_URL at a newer server"
    )]
    Postgres {
        /// The version that was found.
        found: String,
    },
    /// The setting is not a valid database URL.
    #[error(
        "REFLECT_DATABASE_URL (--database-url) cannot be read: {reason}. It looks like \
         postgres://user:password@host:5432/database; in a password @ is written %40, : %3A, / %2F and % %25"
    )]
    Address {
        /// What is wrong with it, without its content.
        reason: String,
    },
    /// Postgres refused user or password.
    #[error(
        "Postgres refused the connection: {said}. Check user and password in REFLECT_DATABASE_URL, and pg_hba.conf on \
         the database server"
    )]
    SignIn {
        /// The message of Postgres.
        said: String,
    },
    /// There is no database of that name.
    #[error("{said}. Create it with `createdb`, or set another database in REFLECT_DATABASE_URL")]
    NoDatabase {
        /// The message of Postgres.
        said: String,
    },
    /// A TLS connection was requested and failed.
    #[error(
        "TLS to Postgres failed: {reason}. Set `sslmode` in REFLECT_DATABASE_URL (disable, prefer, \
         require, verify-ca, verify-full), and `sslrootcert` to the certificate file of your own authority"
    )]
    Tls {
        /// The TLS error.
        reason: String,
    },
    /// A pooler lies between the server and Postgres, and nothing else reaches Postgres itself.
    #[error(
        "Postgres is reached only through a connection pooler. Notifications, locks, jobs and migrations need sessions of \
         Postgres: set REFLECT_DIRECT_DATABASE_URL (--direct-database-url) to a URL without the pooler. \
         REFLECT_DATABASE_URL may use it"
    )]
    Pooler,
    /// Two URLs reach different databases.
    #[error(
        "{setting} does not reach the database of REFLECT_DATABASE_URL, nor a standby of it. Check host, port and \
         database name of both"
    )]
    OtherDatabase {
        /// The setting with the other database.
        setting: &'static str,
    },
    /// The server is read-only.
    #[error(
        "this Postgres is read-only: it is a standby, or default_transaction_read_only is on. Point \
         REFLECT_DATABASE_URL at the primary"
    )]
    ReadOnly,
    /// pgvector is not installed on the server.
    #[error(
        "this Postgres has no pgvector. Install pgvector 0.8.4 or newer on the database server (package \
         postgresql-<version>-pgvector on Debian and Ubuntu), then start again"
    )]
    NoVector,
    /// pgvector is too old.
    #[error(
        "pgvector {found} is too old: Reflect needs 0.8.4 or newer. Update the package on the database server, \
         then run ALTER EXTENSION vector UPDATE in this database"
    )]
    Vector {
        /// The version that was found.
        found: String,
    },
    /// The user may not create tables.
    #[error(
        "the database user {user} may not create tables in this database. Make it the owner (ALTER DATABASE … OWNER TO \
         {user}), then run `reflect migrate` again"
    )]
    TableRight {
        /// The user of the URL.
        user: String,
    },
    /// The user may not install the extension.
    #[error(
        "the database user {user} may not install pgvector here. Let a superuser run CREATE EXTENSION vector in \
         this database once, then run `reflect migrate` again"
    )]
    ExtensionRight {
        /// The user of the URL.
        user: String,
    },
    /// Migrations are missing.
    #[error(
        "this database lacks {missing} of Reflect's migrations. Run `reflect migrate`, or start with --migrate"
    )]
    Migrations {
        /// How many are missing.
        missing: usize,
    },
    /// A migration was edited after it had been applied.
    #[error(
        "migration {version} was applied with another checksum than this binary expects; use the matching version of Reflect"
    )]
    ForeignMigration {
        /// The migration's number.
        version: i64,
    },
    /// The role of the server exists, but has no rights in this database.
    #[error(
        "the role reflect_app has no rights in this database, or only those of an older version. Run `reflect migrate` as the \
         owner of the tables, or start with --migrate"
    )]
    RoleRights,
    /// Other transactions held the locks that a migration needs for too long.
    #[error(
        "a table that must be changed was in use for {minutes} minutes. Nothing was left half done. Find long transactions \
         (select pid, xact_start, query from pg_stat_activity order by xact_start), end them, and run `reflect migrate` again"
    )]
    TableInUse {
        /// For how long it was tried.
        minutes: u64,
    },
    /// Connections would work as the user of the URL, although the restricted role is required.
    #[error(
        "the database user {user} cannot take the role reflect_app, and --require-restricted-role is set. Let a superuser \
         run CREATE ROLE reflect_app NOLOGIN and GRANT reflect_app TO {user}, then run `reflect migrate`"
    )]
    NotRestricted {
        /// The user of the URL.
        user: String,
    },
    /// The user of the read replica cannot take the restricted role, although that of the primary can.
    #[error(
        "the user {user} of REFLECT_READ_DATABASE_URL cannot take the role reflect_app, which the user of \
         REFLECT_DATABASE_URL can. Let a superuser run GRANT reflect_app TO {user} on the primary"
    )]
    ReplicaRole {
        /// The user of the URL.
        user: String,
    },
    /// Values are encrypted with a key that is not configured.
    #[error(
        "{projects} projects of this database are encrypted with the key {key_id}, which is not configured. Set \
         --encryption-key-file or --encryption-key-command to the keys that the other processes use"
    )]
    EncryptionKey {
        /// The name of the key.
        key_id: String,
        /// How many projects.
        projects: i64,
    },
    /// The command needs the encryption keys.
    #[error("no encryption key is configured. Set --encryption-key-file or --encryption-key-command")]
    NoEncryptionKey,
    /// The connection would not be under row-level security.
    #[error(
        "the database user {user} bypasses row-level security and cannot take the role reflect_app. Run \
         `reflect migrate` as a user who may create roles, or use a user without BYPASSRLS"
    )]
    Unrestricted {
        /// The user of the URL.
        user: String,
    },
}
