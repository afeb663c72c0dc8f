//! Memories as they are stored: for whoever cares for them, not for prompts.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{Credit, KeyId, MemoryId, MemoryOrigin, MemoryStatus, ReviewId, TraceId, Trust};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::filter::{MemorySelection, MemorySort};
use super::text::TextFields;
use crate::actions::ActionId;
use crate::error::StoreError;
use crate::keys::coded;
use crate::project_ctx::ProjectCtx;

/// A memory with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// Its id.
    pub memory_id: MemoryId,
    /// What it says.
    pub text: TextFields,
    /// Which of its texts that is.
    pub version: i32,
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// What became of its run.
    pub success: Option<bool>,
    /// Who wrote its first text.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace: Option<TraceId>,
    /// The review it came of.
    pub source_review: Option<ReviewId>,
    /// The key it came in with.
    pub author_key: Option<KeyId>,
    /// How far that key was trusted.
    pub trust: Trust,
    /// The model that wrote it.
    pub model: Option<String>,
    /// Which wording of our question that was an answer to.
    pub prompt_version: Option<i32>,
    /// What is worth knowing about how it was written.
    pub note: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its utility.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Whether nobody has vouched for it yet; its status may say something else first.
    pub quarantined: bool,
    /// What looks out of place in its text.
    pub flags: Vec<String>,
    /// Whether every question is answered with it first.
    pub pinned: bool,
    /// The memory that took its place.
    pub merged_into: Option<MemoryId>,
    /// The day on which a review last moved it.
    pub last_used: Option<NaiveDate>,
}

impl FromRow<'_, PgRow> for StoredMemory {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            text: TextFields::from_row(row)?,
            version: row.try_get("version")?,
            tools_used: row.try_get("tools_used")?,
            success: row.try_get("success")?,
            origin: coded(MemoryOrigin::from_code(row.try_get("origin")?))?,
            source_trace: row.try_get("source_trace")?,
            source_review: row.try_get("source_review")?,
            author_key: row.try_get("author_key")?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            model: row.try_get("model")?,
            prompt_version: row.try_get("prompt_version")?,
            note: row.try_get("note")?,
            created_at: row.try_get("created_at")?,
            q: row.try_get("q")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
            quarantined: row.try_get("quarantined")?,
            flags: row.try_get("flags")?,
            pinned: row.try_get("pinned")?,
            merged_into: row.try_get("merged_into")?,
            last_used: row.try_get("last_used")?,
        })
    }
}

/// Where a memory came from, as far as that is still there.
#[derive(Debug, Clone, Default, PartialEq, sqlx::FromRow)]
pub struct Provenance {
    /// The task of its run.
    pub task: Option<String>,
    /// When the run was recorded.
    pub ran_at: Option<DateTime<Utc>>,
    /// Whether the review said that the run passed.
    pub passed: Option<bool>,
    /// What the review said.
    pub feedback: Option<String>,
    /// Who reviewed.
    pub reviewer: Option<String>,
    /// When.
    pub reviewed_at: Option<DateTime<Utc>>,
    /// Whether that review still counts.
    pub live: Option<bool>,
    /// The public id of the key it came in with.
    pub public_id: Option<String>,
    /// What that key is for.
    pub label: Option<String>,
}

/// A text that a memory has had.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct VersionRow {
    /// Its number.
    pub version: i32,
    /// The action that wrote it; none for the first one.
    pub action_id: Option<ActionId>,
    /// Who wrote it.
    pub actor: Option<String>,
    /// When.
    pub created_at: DateTime<Utc>,
    /// What it says.
    #[sqlx(flatten)]
    pub text: TextFields,
}

/// A memory, where it came from, and what it has said.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDetail {
    /// The memory.
    pub memory: StoredMemory,
    /// Where it came from.
    pub provenance: Provenance,
    /// All its texts, newest first; none when it was never edited.
    pub versions: Vec<VersionRow>,
}

impl ProjectCtx {
    /// Memories, in the order of these ids. Those that are not there are passed over.
    pub async fn stored_memories(&self, ids: &[MemoryId]) -> Result<Vec<StoredMemory>, StoreError> {
        let mut transaction = self.read().await?;
        let rows = sqlx::query_as(include_str!("../../sql/care/stored.sql")).bind(self.project).bind(ids);
        let rows: Vec<StoredMemory> = rows.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let mut rows: HashMap<MemoryId, StoredMemory> =
            rows.into_iter().map(|row| (row.memory_id, row)).collect();
        Ok(ids.iter().filter_map(|id| rows.remove(id)).collect())
    }

    /// The memories that a selection describes after a cursor, and the cursor to go on from.
    pub async fn list_memories(
        &self,
        selection: &MemorySelection,
        sort: MemorySort,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<(Vec<StoredMemory>, Option<MemoryId>), StoreError> {
        // One more than asked for tells whether there is a next page.
        let mut ids = self.matching_memories(selection, sort, after, i64::from(limit) + 1).await?;
        let more = ids.len() > limit as usize;
        ids.truncate(limit as usize);
        let next = ids.last().copied().filter(|_| more);
        Ok((self.stored_memories(&ids).await?, next))
    }

    /// One memory.
    pub async fn stored_memory(&self, id: MemoryId) -> Result<StoredMemory, StoreError> {
        self.stored_memories(&[id]).await?.pop().ok_or(StoreError::NotFound { what: "memory" })
    }

    /// One memory, where it came from, and what it has said.
    pub async fn memory_detail(&self, id: MemoryId) -> Result<MemoryDetail, StoreError> {
        let memory = self.stored_memory(id).await?;
        let mut transaction = self.read().await?;
        let provenance = sqlx::query_as(include_str!("../../sql/care/provenance.sql"));
        let provenance: Option<Provenance> =
            provenance.bind(self.project).bind(id).fetch_optional(&mut *transaction).await?;
        let versions = sqlx::query_as(include_str!("../../sql/care/versions.sql"));
        let versions = versions.bind(self.project).bind(id).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(MemoryDetail { memory, provenance: provenance.unwrap_or_default(), versions })
    }
}
