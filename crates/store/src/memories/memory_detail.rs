//! Memories with all stored fields, for curation and not for prompts.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{
    Credit, KeyId, LessonId, MemoryId, MemoryOrigin, MemoryStatus, ReviewId, TraceId, Trust,
};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::MemoryStore;
use super::filter::{MemoryOrder, MemorySelector, Repeats, page};
use crate::db::coded;
use crate::error::StoreError;
use crate::ids::ActionId;
use crate::memory_changes::TextFields;
use crate::sealing::SealedColumn;

/// A memory with all stored fields.
#[derive(Debug, Clone, PartialEq)]
pub struct FullMemoryRow {
    /// Its id.
    pub memory_id: MemoryId,
    /// Its lesson: its own id if it is not grouped.
    pub lesson_id: LessonId,
    /// The text of its lesson, with its own task and metadata.
    pub text: TextFields,
    /// The version of the lesson's text.
    pub version: i32,
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// The result of its run.
    pub success: Option<bool>,
    /// Who wrote its first text.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace: Option<TraceId>,
    /// The review it was learned from.
    pub source_review: Option<ReviewId>,
    /// The key it came in with.
    pub author_key: Option<KeyId>,
    /// The trust of that key.
    pub trust: Trust,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<i32>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its `q_value`.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// Whether it may be served.
    pub status: MemoryStatus,
    /// Whether it is in quarantine. The status may be another one with higher priority.
    pub quarantined: bool,
    /// Suspicious findings in its text.
    pub flags: Vec<String>,
    /// Whether it is pinned: every query returns it first.
    pub pinned: bool,
    /// The memory that it was merged into.
    pub merged_into: Option<MemoryId>,
    /// The review whose run contradicted it, if it is superseded.
    pub superseded_by: Option<ReviewId>,
    /// How many memories are merged into it.
    pub absorbed: i32,
    /// The day on which a review last moved it.
    pub last_used: Option<NaiveDate>,
    /// Whether its source is not trusted.
    pub untrusted: bool,
    /// How many memories have the same lesson and status, this one included; at most 1000.
    pub runs: i32,
}

impl FromRow<'_, PgRow> for FullMemoryRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            lesson_id: row.try_get("lesson_id")?,
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
            superseded_by: row.try_get("superseded_by")?,
            absorbed: row.try_get("absorbed")?,
            last_used: row.try_get("last_used")?,
            untrusted: row.try_get("untrusted")?,
            runs: row.try_get("runs")?,
        })
    }
}

/// The source of a memory, as far as it is still stored.
#[derive(Debug, Clone, Default, PartialEq, sqlx::FromRow)]
pub struct Provenance {
    /// The task of its run.
    pub task: Option<String>,
    /// When the run was recorded.
    pub ran_at: Option<DateTime<Utc>>,
    /// Whether the run passed according to the review.
    pub passed: Option<bool>,
    /// The review.
    pub review_id: Option<ReviewId>,
    /// Its feedback.
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
    /// The key of the imported item, if it was imported.
    pub import_key: Option<Uuid>,
    /// Where that item was.
    pub import_source: Option<serde_json::Value>,
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

/// A memory, its source, and its earlier texts.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryDetailRow {
    /// The memory.
    pub memory: FullMemoryRow,
    /// Where it came from.
    pub provenance: Provenance,
    /// All its texts, newest first; none when it was never edited.
    pub versions: Vec<VersionRow>,
}

impl MemoryStore<'_> {
    /// Memories, in the order of these ids. Those that are not there are passed over.
    pub async fn get_many(&self, ids: &[MemoryId]) -> Result<Vec<FullMemoryRow>, StoreError> {
        let mut transaction = self.db.read().await?;
        let rows =
            sqlx::query_as(include_str!("../../sql/curation/stored.sql")).bind(self.db.project).bind(ids);
        let rows: Vec<FullMemoryRow> = rows.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        let mut rows: HashMap<MemoryId, FullMemoryRow> =
            rows.into_iter().map(|row| (row.memory_id, row)).collect();
        Ok(ids.iter().filter_map(|id| rows.remove(id)).collect())
    }

    /// The memories that a selection describes after a cursor, and the cursor to go on from. With `once`, memories with
    /// the same lesson and status appear once: the first of them in this order.
    pub async fn list(
        &self,
        selection: &MemorySelector,
        order: MemoryOrder,
        once: bool,
        after: Option<MemoryId>,
        limit: u32,
    ) -> Result<(Vec<FullMemoryRow>, Option<MemoryId>), StoreError> {
        // One row more than requested shows whether there is a next page.
        let repeats = if once { Repeats::OncePerStatus } else { Repeats::All };
        let mut ids = page(self.db, selection, order, repeats, after, i64::from(limit) + 1).await?;
        let more = ids.len() > limit as usize;
        ids.truncate(limit as usize);
        let next = ids.last().copied().filter(|_| more);
        Ok((self.get_many(&ids).await?, next))
    }

    /// One memory.
    pub async fn get(&self, id: MemoryId) -> Result<FullMemoryRow, StoreError> {
        self.get_many(&[id]).await?.pop().ok_or(StoreError::NotFound { what: "memory" })
    }

    /// The own text of a memory and its version. They differ from those of its lesson if another memory speaks for it.
    pub async fn own_text(&self, id: MemoryId) -> Result<(i32, TextFields), StoreError> {
        let mut transaction = self.db.read().await?;
        let row = sqlx::query(include_str!("../../sql/curation/own_text.sql"));
        let row = row.bind(self.db.project).bind(id).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        let row = row.ok_or(StoreError::NotFound { what: "memory" })?;
        Ok((row.try_get("version")?, TextFields::from_row(&row)?))
    }

    /// One memory, its source, and the earlier texts of its lesson.
    pub async fn detail(&self, id: MemoryId) -> Result<MemoryDetailRow, StoreError> {
        let memory = self.get(id).await?;
        let mut transaction = self.db.read().await?;
        let provenance = sqlx::query_as(include_str!("../../sql/curation/provenance.sql"));
        let provenance: Option<Provenance> =
            provenance.bind(self.db.project).bind(id).fetch_optional(&mut *transaction).await?;
        let mut provenance = provenance.unwrap_or_default();
        if let Some(review) = provenance.review_id {
            let place = SealedColumn::ReviewFeedback.of(review.as_uuid());
            transaction.sealer.open_field(place, &mut provenance.feedback)?;
        }
        let versions = sqlx::query_as(include_str!("../../sql/curation/versions.sql"));
        let versions = versions.bind(self.db.project).bind(id).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(MemoryDetailRow { memory, provenance, versions })
    }
}
