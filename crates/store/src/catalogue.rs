//! Look-ups that come before any project is known: whose key this is, which project a path means.
//!
//! These run without a project, so row-level security shows them no row of any project.

use reflect_types::{KeyId, ProjectId, ProjectSlug, Scope, Trust};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use crate::audit::Actor;
use crate::error::StoreError;
use crate::keys::{coded, scopes};
use crate::store::Store;

/// A key as the doors need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundKey {
    /// Its id.
    pub key_id: KeyId,
    /// The part of its text that may be shown.
    pub public_id: String,
    /// SHA-256 of its text, to compare with.
    pub digest: Vec<u8>,
    /// Its project and that project's name; none for a master key.
    pub project: Option<(ProjectId, ProjectSlug)>,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// How far its word is trusted.
    pub trust: Trust,
    /// Whether somebody ended it.
    pub revoked: bool,
    /// Whether it ended by itself.
    pub expired: bool,
}

impl FromRow<'_, PgRow> for FoundKey {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let project: Option<ProjectId> = row.try_get("project_id")?;
        let slug: Option<String> = row.try_get("slug")?;
        let slug = slug.map(|slug| slug.parse().map_err(|error| sqlx::Error::Decode(Box::new(error))));
        Ok(Self {
            key_id: row.try_get("key_id")?,
            public_id: row.try_get("public_id")?,
            digest: row.try_get("digest")?,
            project: project.zip(slug.transpose()?),
            scopes: scopes(row)?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            revoked: row.try_get("revoked")?,
            expired: row.try_get("expired")?,
        })
    }
}

impl Store {
    /// Finds a key by its public part, and notes that it was used.
    pub async fn find_key(&self, public_id: &str) -> Result<Option<FoundKey>, StoreError> {
        let key = sqlx::query_as(include_str!("../sql/catalogue/find_key.sql")).bind(public_id);
        Ok(key.fetch_optional(&self.pools.reads).await?)
    }

    /// Finds a project that is in use.
    pub async fn find_project(&self, slug: &ProjectSlug) -> Result<Option<ProjectId>, StoreError> {
        let project =
            sqlx::query_scalar(include_str!("../sql/catalogue/find_project.sql")).bind(slug.as_str());
        Ok(project.fetch_optional(&self.pools.reads).await?)
    }

    /// Every project in use, oldest first.
    pub async fn projects(&self) -> Result<Vec<(ProjectId, String)>, StoreError> {
        let projects = sqlx::query_as(include_str!("../sql/catalogue/list_projects.sql"));
        Ok(projects.fetch_all(&self.pools.reads).await?)
    }

    /// Makes a project, or finds the one that somebody else just made.
    pub async fn ensure_project(&self, slug: &ProjectSlug, actor: &Actor) -> Result<ProjectId, StoreError> {
        let installation = self.installation();
        let mut transaction = installation.write().await?;
        let made: Option<ProjectId> = sqlx::query_scalar(include_str!("../sql/catalogue/create_project.sql"))
            .bind(slug.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        if made.is_some() {
            installation.note(&mut transaction, actor, "project.create", slug.as_str()).await?;
        }
        installation.commit(transaction).await?;
        match made {
            Some(project) => Ok(project),
            None => self.find_project(slug).await?.ok_or(StoreError::NotFound { what: "project" }),
        }
    }
}
