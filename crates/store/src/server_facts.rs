//! Version and rights of a database server, and whether they are sufficient.

use sqlx::PgExecutor;

use crate::error::StoreError;
use crate::requirements::{POSTGRES, Requirement};

/// pgvector before 0.8.4 can corrupt an index or lose entries of one during vacuum.
const PGVECTOR: [u32; 3] = [0, 8, 4];

/// Version and rights of a database server.
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
    /// Behind a pooler, the caller must have opened a transaction.
    pub(crate) async fn read<'c>(connection: impl PgExecutor<'c>) -> Result<Self, StoreError> {
        let facts = sqlx::query_as(include_str!("../sql/maintenance/server.sql")).persistent(false);
        Ok(facts.fetch_one(connection).await?)
    }

    /// The same facts, with the weaker restriction of two users: the server may use several URLs.
    pub(crate) fn weaker(self, other: &Self) -> Self {
        match other.may_restrict {
            true => self,
            false => Self { may_restrict: false, user_name: other.user_name.clone(), ..self },
        }
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

    /// Refuses a user who may not apply migrations.
    pub(crate) fn check_owner(&self) -> Result<(), Requirement> {
        match self.may_create_tables {
            true => Ok(()),
            false => Err(Requirement::TableRight { user: self.user_name.clone() }),
        }
    }

    /// Refuses a read-only server. Commands that only read do not call this.
    pub fn check_writable(&self) -> Result<(), Requirement> {
        if self.read_only { Err(Requirement::ReadOnly) } else { Ok(()) }
    }

    /// Whether connections work under the restricted role instead of the user of the URL.
    pub const fn is_restricted(&self) -> bool {
        self.may_restrict
    }

    /// Refuses a user who cannot take the restricted role. For installations that require it.
    pub fn check_restricted(&self) -> Result<(), Requirement> {
        match self.may_restrict {
            true => Ok(()),
            false => Err(Requirement::NotRestricted { user: self.user_name.clone() }),
        }
    }

    /// What is missing without the restricted role, and how to add it. `None` if connections take it.
    pub fn role_warning(&self) -> Option<String> {
        let user = &self.user_name;
        (!self.may_restrict).then(|| {
            format!(
                "the database user {user} cannot take the role reflect_app, so row-level security and the append-only audit \
                 log depend on the owner of the tables; let a superuser run `create role reflect_app nologin; grant \
                 reflect_app to {user};`, then run `reflect migrate`"
            )
        })
    }

    /// Whether connections take the restricted role. An error if they must and cannot.
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
            user_name: "owner".into(),
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
        assert!(plain.role_warning().unwrap().contains("grant reflect_app to owner"));
        assert!(plain.check_restricted().unwrap_err().to_string().contains("GRANT reflect_app TO owner"));
        assert_eq!(superuser.role_warning(), None);
        assert_eq!(superuser.check_restricted(), Ok(()));
        assert_eq!(superuser.clone().weaker(&superuser), superuser);
        assert!(superuser.weaker(&plain).role_warning().unwrap().contains("grant reflect_app to owner"));
    }
}
