//! Lookups without a project: keys by public id, projects by name, embedding spaces, the first key.
//!
//! Row-level security shows these statements no row of any project.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use reflect_types::{
    EmbeddedText, KeyId, MemoryId, ProjectId, ProjectSettings, ProjectSlug, Scope, Trust, WeightSource,
};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, Row};

use crate::audit::{self, AuditActor};
use crate::codes::{project_numbers, scopes};
use crate::db::{Db, coded};
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::keys::{self, KeyRow, NewKey};
use crate::lessons::LessonStore;

/// A key, as authentication needs it.
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
    /// Its trust level.
    pub trust: Trust,
    /// Whether it was revoked.
    pub revoked: bool,
    /// Whether it has expired.
    pub expired: bool,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// The address ranges from which it works. Empty: all.
    pub address_ranges: Vec<String>,
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
            expires_at: row.try_get("expires_at")?,
            address_ranges: row.try_get("address_ranges")?,
        })
    }
}

/// What a search or a write must know about a project. Read in one statement, so the values are consistent while
/// another process changes them.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFacts {
    /// The space that is searched. `None` before the first vector.
    pub read_space: Option<SpaceId>,
    /// The spaces in which new memories are indexed.
    pub write_spaces: Vec<SpaceId>,
    /// Similarity thresholds that replace those of the spaces.
    pub thresholds: HashMap<SpaceId, f32>,
    /// Its settings.
    pub settings: Value,
    /// The pinned memories: every query returns them first.
    pub pinned: Vec<MemoryId>,
    /// The key of the placeholder tags.
    pub tag_key: TagKeyBytes,
    /// The weight of utility that replay selected, if the project chooses its weight by replay.
    pub replay_weight: Option<f32>,
    /// Whether the project has ever received a signal.
    pub has_signals: bool,
}

/// Secret of this installation. Without it, a guess cannot be checked against a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagKeyBytes(pub [u8; 32]);

impl std::fmt::Debug for TagKeyBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TagKeyBytes")
    }
}

/// The secret of an installation with which feedback tokens are sealed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FeedbackSecret(pub [u8; 32]);

impl std::fmt::Debug for FeedbackSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FeedbackSecret")
    }
}

/// Read space, write spaces, thresholds, settings, pins, key of tags, whether there are signals.
type FactsRow =
    (Option<SpaceId>, Vec<SpaceId>, Json<HashMap<SpaceId, f32>>, Value, Vec<MemoryId>, Vec<u8>, bool);

/// A project by its number and its name.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ProjectRow {
    /// Its number.
    pub project_id: ProjectId,
    /// Its name.
    pub slug: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// The identity of an embedding space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceName {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The revision, which distinguishes two files of one name.
    pub revision: String,
    /// The number of dimensions.
    pub dimensions: usize,
    /// Which text of a memory is embedded.
    pub embeds: EmbeddedText,
}

/// An embedding space. Only vectors of the same space can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceRow {
    /// Its number.
    pub id: SpaceId,
    /// Its identity.
    pub name: SpaceName,
    /// Below this similarity two texts count as unrelated.
    pub similarity_threshold: f32,
}

#[derive(sqlx::FromRow)]
pub(crate) struct SpaceColumns {
    space_id: SpaceId,
    provider: String,
    model: String,
    revision: String,
    dimensions: i32,
    key_text: String,
    similarity_threshold: f32,
}

impl TryFrom<SpaceColumns> for SpaceRow {
    type Error = StoreError;

    fn try_from(found: SpaceColumns) -> Result<Self, StoreError> {
        let corrupt = StoreError::Corrupt { what: "embedding space" };
        let Ok(embeds) = found.key_text.parse() else { return Err(corrupt) };
        let Ok(dimensions) = usize::try_from(found.dimensions) else { return Err(corrupt) };
        let SpaceColumns { provider, model, revision, .. } = found;
        let name = SpaceName { provider, model, revision, dimensions, embeds };
        Ok(Self { id: found.space_id, name, similarity_threshold: found.similarity_threshold })
    }
}

/// The first project and its master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInstallation {
    /// The first project.
    pub project: ProjectSlug,
    /// The master key.
    pub key: NewKey,
}

/// Lookups and changes that need no project.
#[derive(Debug, Clone, Copy)]
pub struct CatalogueStore<'a> {
    pub(crate) db: &'a Db,
}

impl CatalogueStore<'_> {
    /// Finds a key by its public part.
    pub async fn find_key(&self, public_id: &str) -> Result<Option<FoundKey>, StoreError> {
        let key = sqlx::query_as(include_str!("../sql/catalogue/find_key.sql")).bind(public_id);
        Ok(key.fetch_optional(&self.db.pools.lookups).await?)
    }

    /// Notes that a key was used. Its secret must be verified.
    pub async fn note_key_use(&self, key: KeyId) -> Result<(), StoreError> {
        let noted = sqlx::query(include_str!("../sql/catalogue/note_key_use.sql")).bind(key);
        noted.execute(&self.db.pools.writes).await?;
        Ok(())
    }

    /// Revokes all keys of a creator, such as `member:Ana`, and all keys that were created with these. Returns their
    /// public ids.
    pub async fn revoke_keys_of(&self, creator: &str, actor: &AuditActor) -> Result<Vec<String>, StoreError> {
        let mut transaction = self.db.installation().write().await?;
        let revoked = keys::revoke_created_by(&mut transaction, creator, actor).await?;
        transaction.commit().await?;
        Ok(revoked)
    }

    /// Finds a project that is in use.
    pub async fn find_project(&self, slug: &ProjectSlug) -> Result<Option<ProjectId>, StoreError> {
        let project =
            sqlx::query_scalar(include_str!("../sql/catalogue/find_project.sql")).bind(slug.as_str());
        Ok(project.fetch_optional(&self.db.pools.lookups).await?)
    }

    /// Every project in use, oldest first.
    pub async fn projects(&self) -> Result<Vec<(ProjectId, String)>, StoreError> {
        let projects = sqlx::query_as(include_str!("../sql/catalogue/list_projects.sql"));
        Ok(projects.fetch_all(&self.db.pools.reads).await?)
    }

    /// Creates a project, or finds the one that another process has just created.
    pub async fn ensure_project(
        &self,
        slug: &ProjectSlug,
        actor: &AuditActor,
    ) -> Result<ProjectId, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let made: Option<ProjectId> = sqlx::query_scalar(include_str!("../sql/catalogue/create_project.sql"))
            .bind(slug.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        if made.is_some() {
            audit::record(&mut transaction, actor, "project.create", slug.as_str()).await?;
        }
        transaction.commit().await?;
        match made {
            Some(project) => Ok(project),
            None => self.find_project(slug).await?.ok_or(StoreError::NotFound { what: "project" }),
        }
    }

    /// Finds or creates the space of a model.
    pub async fn ensure_space(&self, name: &SpaceName) -> Result<SpaceRow, StoreError> {
        if let Some(space) = self.find_space(name).await? {
            return Ok(space);
        }
        sqlx::query(include_str!("../sql/catalogue/create_space.sql"))
            .bind(&name.provider)
            .bind(&name.model)
            .bind(&name.revision)
            .bind(i32::try_from(name.dimensions).unwrap_or(i32::MAX))
            .bind(name.embeds.as_str())
            .execute(&self.db.pools.writes)
            .await?;
        self.find_space(name).await?.ok_or(StoreError::NotFound { what: "embedding space" })
    }

    /// The space of a model, if there is one.
    pub async fn find_space(&self, name: &SpaceName) -> Result<Option<SpaceRow>, StoreError> {
        let found: Option<SpaceColumns> = sqlx::query_as(include_str!("../sql/catalogue/find_space.sql"))
            .bind(&name.provider)
            .bind(&name.model)
            .bind(&name.revision)
            .bind(i32::try_from(name.dimensions).unwrap_or(i32::MAX))
            .bind(name.embeds.as_str())
            .fetch_optional(&self.db.pools.writes)
            .await?;
        found.map(SpaceRow::try_from).transpose()
    }

    /// A space by its number.
    pub async fn space(&self, id: SpaceId) -> Result<SpaceRow, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/catalogue/get_space.sql")).bind(id);
        let found: Option<SpaceColumns> = found.fetch_optional(&self.db.pools.reads).await?;
        found.ok_or(StoreError::NotFound { what: "embedding space" })?.try_into()
    }

    /// What a search or a write must know about a project.
    pub async fn project_facts(&self, project: ProjectId) -> Result<ProjectFacts, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/projects/facts.sql")).bind(project);
        let found: Option<FactsRow> = found.fetch_optional(&self.db.pools.reads).await?;
        let (read_space, write_spaces, Json(thresholds), settings, pinned, tag_key, has_signals) =
            found.ok_or(StoreError::NotFound { what: "project" })?;
        let tag_key = TagKeyBytes(tag_key.try_into().map_err(|_| StoreError::Corrupt { what: "tag key" })?);
        let replay_weight = replay_weight(self.db, project, &settings).await?;
        Ok(ProjectFacts {
            read_space,
            write_spaces,
            thresholds,
            settings,
            pinned,
            tag_key,
            replay_weight,
            has_signals,
        })
    }

    /// The secret with which feedback tokens are sealed.
    pub async fn feedback_secret(&self) -> Result<FeedbackSecret, StoreError> {
        let secret = sqlx::query_scalar(include_str!("../sql/catalogue/feedback_secret.sql"));
        let secret: Vec<u8> = secret.fetch_one(&self.db.pools.reads).await?;
        let corrupt = |_| StoreError::Corrupt { what: "feedback secret" };
        Ok(FeedbackSecret(secret.try_into().map_err(corrupt)?))
    }

    /// Every project with an enabled judge, with its settings and the types of events that its webhooks receive.
    pub async fn judging_projects(&self) -> Result<Vec<(ProjectId, Value, i32)>, StoreError> {
        let projects = sqlx::query_as(include_str!("../sql/catalogue/list_judging.sql"));
        Ok(projects.fetch_all(&self.db.pools.reads).await?)
    }

    /// The projects in use, by name: of these numbers, or all.
    pub async fn project_rows(&self, of: Option<&[ProjectId]>) -> Result<Vec<ProjectRow>, StoreError> {
        let rows =
            sqlx::query_as(include_str!("../sql/catalogue/project_slugs.sql")).bind(project_numbers(of));
        Ok(rows.fetch_all(&self.db.pools.reads).await?)
    }

    /// Whether there is any key.
    pub async fn has_keys(&self) -> Result<bool, StoreError> {
        let any = sqlx::query_scalar(include_str!("../sql/catalogue/has_keys.sql"));
        Ok(any.fetch_one(&self.db.pools.reads).await?)
    }

    /// Uses the bootstrap token once: creates the first project and its master key.
    pub async fn bootstrap(&self, new: &NewInstallation, actor: &AuditActor) -> Result<KeyRow, StoreError> {
        let installation = self.db.installation();
        let mut transaction = installation.write().await?;
        let spent: Option<bool> = sqlx::query_scalar(include_str!("../sql/catalogue/use_bootstrap.sql"))
            .bind(new.key.key_id)
            .fetch_optional(&mut *transaction)
            .await?;
        if spent.is_none() {
            return Err(StoreError::Conflict { what: "this installation already has its first key" });
        }
        let _: Option<ProjectId> = sqlx::query_scalar(include_str!("../sql/catalogue/create_project.sql"))
            .bind(new.project.as_str())
            .fetch_optional(&mut *transaction)
            .await?;
        let row = keys::insert(&mut transaction, &new.key, actor).await?;
        audit::record(&mut transaction, actor, "bootstrap", new.project.as_str()).await?;
        transaction.commit().await?;
        Ok(row)
    }
}

/// In a transaction of the project, because its statistics are under row-level security.
async fn replay_weight(db: &Db, project: ProjectId, settings: &Value) -> Result<Option<f32>, StoreError> {
    let (settings, _) = ProjectSettings::read(settings);
    if settings.lessons.utility_weight != WeightSource::Replay {
        return Ok(None);
    }
    let db = db.project(project);
    Ok(Some(LessonStore { db: &db }.statistics().await?.replay.weight()))
}
