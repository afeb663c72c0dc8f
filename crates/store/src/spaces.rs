//! Embedding spaces, and which of them a project lives in.

use reflect_types::ProjectId;
use serde_json::Value;

use crate::audit::Actor;
use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::store::Store;

/// The number of a space.
pub type SpaceId = i16;

/// Whose vectors they are.
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
}

/// Vectors of one space can be compared with each other, and with no others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Space {
    /// Its number.
    pub id: SpaceId,
    /// Below this similarity two texts have nothing to do with each other.
    pub similarity_threshold: f32,
}

/// What has to be known of a project to search it and to write to it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFacts {
    /// Where its memories are searched; none before the first vector.
    pub read_space: Option<SpaceId>,
    /// Where new memories are placed.
    pub write_spaces: Vec<SpaceId>,
    /// What was set for it.
    pub settings: Value,
    /// What the tags of its placeholders are made with.
    pub tag_key: TagKeyBytes,
}

/// Known to this installation alone, so that nobody else can check a guess against a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TagKeyBytes(pub [u8; 32]);

impl std::fmt::Debug for TagKeyBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TagKeyBytes")
    }
}

/// Read space, write spaces, settings, key of tags.
type FactsRow = (Option<SpaceId>, Vec<SpaceId>, Value, Vec<u8>);

impl Store {
    /// Finds the space of a model's vectors, or makes it.
    pub async fn ensure_space(&self, name: &SpaceName) -> Result<Space, StoreError> {
        if let Some(space) = self.find_space(name).await? {
            return Ok(space);
        }
        sqlx::query(include_str!("../sql/catalogue/create_space.sql"))
            .bind(&name.provider)
            .bind(&name.model)
            .bind(&name.revision)
            .bind(i32::try_from(name.dimensions).unwrap_or(i32::MAX))
            .execute(&self.pools.writes)
            .await?;
        self.find_space(name).await?.ok_or(StoreError::NotFound { what: "embedding space" })
    }

    async fn find_space(&self, name: &SpaceName) -> Result<Option<Space>, StoreError> {
        let found: Option<(SpaceId, f32)> = sqlx::query_as(include_str!("../sql/catalogue/find_space.sql"))
            .bind(&name.provider)
            .bind(&name.model)
            .bind(&name.revision)
            .bind(i32::try_from(name.dimensions).unwrap_or(i32::MAX))
            .fetch_optional(&self.pools.writes)
            .await?;
        Ok(found.map(|(id, similarity_threshold)| Space { id, similarity_threshold }))
    }

    /// What has to be known of a project to work in it.
    pub async fn project_facts(&self, project: ProjectId) -> Result<ProjectFacts, StoreError> {
        let found = sqlx::query_as(include_str!("../sql/projects/facts.sql")).bind(project);
        let found: Option<FactsRow> = found.fetch_optional(&self.pools.reads).await?;
        let (read_space, write_spaces, settings, tag_key) =
            found.ok_or(StoreError::NotFound { what: "project" })?;
        let tag_key = tag_key.try_into().map_err(|_| StoreError::Corrupt { what: "tag key" })?;
        Ok(ProjectFacts { read_space, write_spaces, settings, tag_key: TagKeyBytes(tag_key) })
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
