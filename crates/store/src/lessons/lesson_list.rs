//! Lessons as people read them: one text, with the numbers of all its situations.

use chrono::{DateTime, NaiveDate, Utc};
use reflect_types::{Credit, LessonId, MemoryId, MemoryStatus};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::LessonStore;
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;
use crate::memories::{MemoryOrder, MemorySelector, lesson_page};
use crate::memory_changes::TextFields;

/// A lesson. Counts end at 1000.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonRow {
    /// Its id.
    pub lesson_id: LessonId,
    /// The situation whose words are its text.
    pub speaker: MemoryId,
    /// Its text, with the task of the speaker.
    pub text: TextFields,
    /// The version of the text.
    pub version: i32,
    /// The best status of its situations.
    pub status: MemoryStatus,
    /// How many of its situations are active.
    pub situations: i32,
    /// How many are superseded.
    pub superseded: i32,
    /// How many are merged into others.
    pub absorbed: i32,
    /// How many runs it comes from: those of its situations that are not retired, deleted or erased, absorbed ones included.
    /// Several steps of one run count once. A memory without a run does not count.
    pub runs: i32,
    /// How many of these runs passed.
    pub passed_runs: i32,
    /// How many reviews moved the situation with the most reviews. One review can move several situations.
    pub reviews: i32,
    /// How many of its reviews were passes.
    pub passes: i32,
    /// The credit of that situation. With equal reviews, the one with the most passes counts.
    pub credit: Credit,
    /// The lowest credit of these situations.
    pub credit_low: f32,
    /// The highest credit of these situations.
    pub credit_high: f32,
    /// Whether one of them is pinned.
    pub pinned: bool,
    /// Suspicious findings in its text.
    pub flags: Vec<String>,
    /// When its first situation was made.
    pub created_at: DateTime<Utc>,
    /// The day on which a review last moved one of them.
    pub last_used: Option<NaiveDate>,
}

impl FromRow<'_, PgRow> for LessonRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            lesson_id: row.try_get("lesson_id")?,
            speaker: row.try_get("speaker")?,
            text: TextFields::from_row(row)?,
            version: row.try_get("version")?,
            status: coded(MemoryStatus::from_code(row.try_get("status")?))?,
            situations: row.try_get("situations")?,
            superseded: row.try_get("superseded")?,
            absorbed: row.try_get("absorbed")?,
            runs: row.try_get("runs")?,
            passed_runs: row.try_get("passed_runs")?,
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
            credit_low: row.try_get("credit_low")?,
            credit_high: row.try_get("credit_high")?,
            pinned: row.try_get("pinned")?,
            flags: row.try_get("flags")?,
            created_at: row.try_get("created_at")?,
            last_used: row.try_get("last_used")?,
        })
    }
}

/// How many lessons and situations a project has, among its newest 100,000 memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct LessonCounts {
    /// Lessons with an active situation.
    pub lessons: i64,
    /// Active situations.
    pub situations: i64,
}

impl LessonStore<'_> {
    /// The lessons of the selected memories after a cursor, each once, and the cursor to go on from. The first memory of a
    /// lesson in this order decides its place.
    pub async fn list(
        &self,
        selection: &MemorySelector,
        order: MemoryOrder,
        after: Option<LessonId>,
        limit: u32,
    ) -> Result<(Vec<LessonRow>, Option<LessonId>), StoreError> {
        let after = after.map(|cursor| MemoryId::from_uuid(cursor.as_uuid()));
        // One row more than requested shows whether there is a next page.
        let mut first = lesson_page(self.db, selection, order, after, i64::from(limit) + 1).await?;
        let more = first.len() > limit as usize;
        first.truncate(limit as usize);
        let next = first.last().copied().filter(|_| more).map(LessonId::from);
        let mut transaction = self.db.read().await?;
        let lessons = lessons_of(&mut transaction, &first).await?;
        transaction.commit().await?;
        Ok((lessons, next))
    }

    /// One lesson.
    pub async fn get(&self, lesson: LessonId) -> Result<LessonRow, StoreError> {
        let mut transaction = self.db.read().await?;
        let speaker = sqlx::query_scalar(include_str!("../../sql/lessons/find.sql"));
        let speaker: Option<MemoryId> =
            speaker.bind(self.db.project).bind(lesson).fetch_optional(&mut *transaction).await?;
        let found = lessons_of(&mut transaction, &speaker.into_iter().collect::<Vec<_>>()).await?;
        transaction.commit().await?;
        found.into_iter().next().ok_or(StoreError::NotFound { what: "lesson" })
    }

    /// How many lessons and situations there are.
    pub async fn count(&self) -> Result<LessonCounts, StoreError> {
        let mut transaction = self.db.read().await?;
        let counts = count_in(&mut transaction).await?;
        transaction.commit().await?;
        Ok(counts)
    }

    /// The situation whose words are the text of a memory: itself if it is not grouped.
    pub async fn speaker(&self, memory: MemoryId) -> Result<MemoryId, StoreError> {
        let mut transaction = self.db.read().await?;
        let speaker = sqlx::query_scalar(include_str!("../../sql/lessons/speaker.sql"));
        let speaker = speaker.bind(self.db.project).bind(memory).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        speaker.ok_or(StoreError::NotFound { what: "memory" })
    }

    /// The situations of a lesson that are not erased, oldest first. Empty for a memory that is not grouped.
    pub async fn situations(&self, lesson: LessonId, most: i64) -> Result<Vec<MemoryId>, StoreError> {
        let mut transaction = self.db.read().await?;
        let situations = sqlx::query_scalar(include_str!("../../sql/lessons/situations.sql"));
        let situations = situations.bind(self.db.project).bind(lesson).bind(most);
        let situations = situations.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(situations)
    }

    /// The same without what others of them absorbed: it follows these.
    pub async fn standing(&self, lesson: LessonId, most: i64) -> Result<Vec<MemoryId>, StoreError> {
        let mut transaction = self.db.read().await?;
        let standing = sqlx::query_scalar(include_str!("../../sql/lessons/standing.sql"));
        let standing = standing.bind(self.db.project).bind(lesson).bind(most);
        let standing = standing.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(standing)
    }
}

/// The lessons of memories, in the same order.
async fn lessons_of(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<LessonRow>, StoreError> {
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_as(include_str!("../../sql/lessons/rows.sql"));
    Ok(rows.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?)
}

pub(crate) async fn count_in(transaction: &mut ProjectTx) -> Result<LessonCounts, StoreError> {
    let counts = sqlx::query_as(include_str!("../../sql/lessons/count.sql")).bind(transaction.project);
    Ok(counts.fetch_one(&mut **transaction).await?)
}
