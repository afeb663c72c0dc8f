//! Embedding spaces, and which of them a project lives in.

use std::collections::HashMap;

use reflect_types::{EmbeddedText, MemoryId, ProjectId};
use serde_json::Value;
use sqlx::types::Json;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;

/// The number of a space.
pub type SpaceId = i16;

/// Whose vectors they are, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceName {
    /// Who computes them.
    pub provider: String,
    /// The model.
    pub model: String,
    /// What tells two files of one name apart.
    pub revision: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
    /// What of a memory is embedded.
    pub embeds: EmbeddedText,
}

/// A space. Vectors of one space can be compared with each other, and with no others.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceRow {
    /// Its number.
    pub id: SpaceId,
    /// Whose vectors they are.
    pub name: SpaceName,
    /// Below this similarity two texts have nothing to do with each other.
    pub similarity_threshold: f32,
}

/// What has to be known of a project to search it and to write to it. Read in one piece: whatever is decided
/// by it holds together, also while somebody changes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFacts {
    /// Where its memories are searched; none before the first vector.
    pub read_space: Option<SpaceId>,
    /// Where new memories are placed.
    pub write_spaces: Vec<SpaceId>,
    /// The least similarity that was set for a space, instead of the space's own.
    pub thresholds: HashMap<SpaceId, f32>,
    /// What was set for it.
    pub settings: Value,
    /// The memories that every question is answered with first.
    pub pinned: Vec<MemoryId>,
    /// What the tags of its placeholders are made with.
    pub tag_key: TagKeyBytes,
}

#[derive(sqlx::FromRow)]
pub(crate) struct Found {
    space_id: SpaceId,
    provider: String,
    model: String,
    revision: String,
    dimensions: i32,
    key_text: String,
    similarity_threshold: f32,
}

impl TryFrom<Found> for SpaceRow {
    type Error = StoreError;

    fn try_from(found: Found) -> Result<Self, StoreError> {
        let corrupt = StoreError::Corrupt { what: "embedding space" };
        let Ok(embeds) = found.key_text.parse() else { return Err(corrupt) };
        let Ok(dimensions) = usize::try_from(found.dimensions) else { return Err(corrupt) };
        let Found { provider, model, revision, .. } = found;
        let name = SpaceName { provider, model, revision, dimensions, embeds };
        Ok(Self { id: found.space_id, name, similarity_threshold: found.similarity_threshold })
    }
}

/// Known to this installation alone, so that nobody else can check a guess against a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagKeyBytes(pub [u8; 32]);

impl std::fmt::Debug for TagKeyBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TagKeyBytes")
    }
}

/// Read space, write spaces, thresholds, settings, pins, key of tags.
type FactsRow = (Option<SpaceId>, Vec<SpaceId>, Json<HashMap<SpaceId, f32>>, Value, Vec<MemoryId>, Vec<u8>);

impl Store {
    /// Finds the space of a model's vectors, or makes it.
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
            .execute(&self.pools.writes)
            .await?;
        self.find_space(name).await?.ok_or(StoreError::NotFound { what: "embedding space" })
    }

    /// The space of a model's vectors, if there is one.
    pub async fn find_space(&self, name: &SpaceName) -> Result<Option<SpaceRow>, StoreError> {
        let found: Option<Found> = sqlx::query_as(include_str!("../sql/catalogue/find_space.sql"))
            .bind(&name.provider)
            .bind(&name.model)
            .bind(&name.revision)
            .bind(i32::try_from(name.dimensions).unwrap_or(i32::MAX))
            .bind(name.embeds.as_str())
            .fetch_optional(&self.pools.writes)
            .await?;
        found.map(SpaceRow::try_from).transpose()
    }

    /// A space by its number.
    pub async fn space(&self, id: SpaceId) -> Result<SpaceRow, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/catalogue/get_space.sql")).bind(id);
        let found: Option<Found> = found.fetch_optional(&self.pools.reads).await?;
        found.ok_or(StoreError::NotFound { what: "embedding space" })?.try_into()
    }

    /// What has to be known of a project to work in it.
    pub async fn project_facts(&self, project: ProjectId) -> Result<ProjectFacts, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/projects/facts.sql")).bind(project);
        let found: Option<FactsRow> = found.fetch_optional(&self.pools.reads).await?;
        let (read_space, write_spaces, Json(thresholds), settings, pinned, tag_key) =
            found.ok_or(StoreError::NotFound { what: "project" })?;
        let tag_key = TagKeyBytes(tag_key.try_into().map_err(|_| StoreError::Corrupt { what: "tag key" })?);
        Ok(ProjectFacts { read_space, write_spaces, thresholds, settings, pinned, tag_key })
    }
}

impl ProjectCtx {
    /// From now on the project's memories are placed in this space too.
    pub async fn adopt_space(&self, space: SpaceId) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let adopted =
            sqlx::query(include_str!("../sql/projects/adopt_space.sql")).bind(self.project).bind(space);
        adopted.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Changes some settings of the project and says how all of them stand. What waits is tried again,
    /// because a setting may be what it waited for.
    pub async fn set(&self, settings: &Value, actor: &Actor) -> Result<Value, StoreError> {
        let mut transaction = self.write().await?;
        let set =
            sqlx::query_scalar(include_str!("../sql/projects/set.sql")).bind(self.project).bind(settings);
        let settings: Option<Value> = set.fetch_optional(&mut *transaction).await?;
        let woken = sqlx::query(include_str!("../sql/jobs/wake.sql")).bind(self.project);
        woken.execute(&mut *transaction).await?;
        self.note(&mut transaction, actor, "project.change", &self.project.number().to_string()).await?;
        self.commit(transaction).await?;
        settings.ok_or(StoreError::NotFound { what: "project" })
    }
}
