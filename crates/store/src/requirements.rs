//! What the database server must offer, and what to do when it does not.

use sqlx::{Connection, PgConnection};

use crate::error::StoreError;

/// Oldest Postgres that is supported.
const POSTGRES: i32 = 15;
/// pgvector before 0.8.4 can corrupt an index or lose entries of one during vacuum.
const PGVECTOR: [u32; 3] = [0, 8, 4];

/// Something that is missing, worded for the operator.
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
    /// The setting is no address of a database.
    #[error(
        "REFLECT_DATABASE_URL (--database-url) cannot be read: {reason}. It looks like \
         postgres://user:password@host:5432/database; in a password @ is written %40, : %3A, / %2F and % %25"
    )]
    Address {
        /// What is wrong with it, without what it holds.
        reason: String,
    },
    /// Postgres does not know the user, or not by this password.
    #[error(
        "Postgres does not let us in: {said}. Check user and password in REFLECT_DATABASE_URL, and pg_hba.conf on \
         the database server"
    )]
    SignIn {
        /// Postgres' own words.
        said: String,
    },
    /// There is no database of that name.
    #[error("{said}. Make it with `createdb`, or name another one in REFLECT_DATABASE_URL")]
    NoDatabase {
        /// Postgres' own words.
        said: String,
    },
    /// A connection under TLS is wanted and cannot be had.
    #[error(
        "no TLS to Postgres: {reason}. `sslmode` in REFLECT_DATABASE_URL says what is wanted (disable, prefer, \
         require, verify-ca, verify-full), `sslrootcert` names the file of your own authority"
    )]
    Tls {
        /// What the two sides did not agree on.
        reason: String,
    },
    /// Nothing can be written.
    #[error(
        "this Postgres takes no writes: it is a standby, or default_transaction_read_only is on. Point \
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
    /// The user may not make tables.
    #[error(
        "the database user {user} may not make tables in this database. Make it the owner (ALTER DATABASE … OWNER TO \
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
        "migration {version} was applied in another form than this binary knows; use the binary that fits"
    )]
    ForeignMigration {
        /// The migration's number.
        version: i64,
    },
    /// The connection would not be under row-level security.
    #[error(
        "the database user {user} is above row-level security and cannot take the role reflect_app. Run \
         `reflect migrate` as a user who may create roles, or use a user without BYPASSRLS"
    )]
    Unrestricted {
        /// The user of the URL.
        user: String,
    },
}

/// What a database server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ServerFacts {
    pub(crate) version: i32,
    version_text: String,
    pub(crate) vector: Option<String>,
    vector_available: Option<String>,
    read_only: bool,
    pub(crate) user_name: String,
    unrestricted: bool,
    may_create_tables: bool,
    pub(crate) may_create_roles: bool,
    pub(crate) may_restrict: bool,
}

impl ServerFacts {
    pub(crate) async fn read(connection: &mut PgConnection) -> Result<Self, StoreError> {
        connection.ping().await?;
        let facts = sqlx::query_as(include_str!("../sql/maintenance/server.sql"));
        Ok(facts.fetch_one(connection).await?)
    }

    /// The versions, for the log.
    pub fn versions(&self) -> String {
        let vector = self.vector.as_deref().or(self.vector_available.as_deref()).unwrap_or("none");
        format!("PostgreSQL {}, pgvector {vector}", self.version_text)
    }

    pub(crate) fn check(&self) -> Result<(), Requirement> {
        if self.version / 10_000 < POSTGRES {
            return Err(Requirement::Postgres { found: self.version_text.clone() });
        }
        let Some(vector) = self.vector.as_ref().or(self.vector_available.as_ref()) else {
            return Err(Requirement::NoVector);
        };
        if version_numbers(vector) < PGVECTOR.to_vec() {
            return Err(Requirement::Vector { found: vector.clone() });
        }
        Ok(())
    }

    /// Refuses a user who could not apply a migration.
    pub(crate) fn check_owner(&self) -> Result<(), Requirement> {
        match self.may_create_tables {
            true => Ok(()),
            false => Err(Requirement::TableRight { user: self.user_name.clone() }),
        }
    }

    /// Refuses a server on which nothing can be written. Whoever reads alone may do so there.
    pub(crate) fn check_writable(&self) -> Result<(), Requirement> {
        if self.read_only { Err(Requirement::ReadOnly) } else { Ok(()) }
    }

    /// Whether connections take the restricted role; an error when they must and cannot.
    pub(crate) fn restriction(&self) -> Result<bool, Requirement> {
        match (self.may_restrict, self.unrestricted) {
            (true, _) => Ok(true),
            (false, false) => Ok(false),
            (false, true) => Err(Requirement::Unrestricted { user: self.user_name.clone() }),
        }
    }
}

fn version_numbers(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(version: i32, vector: Option<&str>) -> ServerFacts {
        ServerFacts {
            version,
            version_text: "x".into(),
            vector: None,
            vector_available: vector.map(Into::into),
            read_only: false,
            user_name: "somebody".into(),
            unrestricted: true,
            may_create_tables: true,
            may_create_roles: false,
            may_restrict: false,
        }
    }

    #[test]
    fn old_servers_are_refused_with_the_remedy() {
        assert!(matches!(facts(140_011, Some("0.8.5")).check(), Err(Requirement::Postgres { .. })));
        assert!(matches!(facts(150_000, Some("0.8.3")).check(), Err(Requirement::Vector { .. })));
        assert_eq!(facts(180_000, None).check(), Err(Requirement::NoVector));
        for vector in ["0.8.4", "0.8.10", "0.9", "1.0.0"] {
            assert_eq!(facts(150_000, Some(vector)).check(), Ok(()), "{vector}");
        }
        let message = Requirement::Vector { found: "0.8.0".into() }.to_string();
        assert!(message.contains("ALTER EXTENSION vector UPDATE"));
    }

    #[test]
    fn a_user_above_row_level_security_is_refused_unless_it_can_step_down() {
        let mut superuser = facts(180_000, Some("0.8.5"));
        assert!(matches!(superuser.restriction(), Err(Requirement::Unrestricted { .. })));
        superuser.may_restrict = true;
        assert_eq!(superuser.restriction(), Ok(true));
        let mut plain = facts(180_000, Some("0.8.5"));
        plain.unrestricted = false;
        assert_eq!(plain.restriction(), Ok(false));
    }
}
