//! Retrieval: candidates by similarity, then the texts of the selected memories, in one read-only transaction.
//!
//! The result of the search is ids and similarities, so another kind of search can replace it.

use chrono::{DateTime, Utc};
use reflect_types::{
    Credit, KeyId, LessonId, MemoryId, MemoryOrigin, MemoryStatus, ReviewId, TraceId, Trust,
};
use serde_json::{Map, Value};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

use super::MemoryStore;
use crate::db::{ProjectTx, SearchBy, coded};
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::search_turns::SearchTurn;

/// The limit grows by this factor if too many of the nearest memories may not be served.
const WIDER: i64 = 4;
const WIDEST: i64 = 100_000;

/// Which memories are considered at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFilter {
    /// Each key must be present with that value, or with a list that contains it.
    pub with: Map<String, Value>,
    /// A memory with all of these is excluded.
    pub without: Map<String, Value>,
}

impl MemoryFilter {
    fn is_empty(&self) -> bool {
        self.with.is_empty() && self.without.is_empty()
    }
}

/// A candidate for a query.
#[derive(Debug, Clone, Copy, PartialEq, sqlx::FromRow)]
pub struct MemoryCandidate {
    /// Its id.
    pub memory_id: MemoryId,
    /// Cosine similarity to the query, or the share of common words.
    pub similarity: f32,
    /// Its `q_value`.
    pub q: f32,
    /// Its credit, which ranking may use instead.
    pub credit: f32,
    /// The evidence behind the credit.
    pub evidence: i32,
    /// The key that it came from, if that key is untrusted.
    pub author_key: Option<KeyId>,
    /// The run that it came from, if that key is untrusted.
    pub source_trace: Option<TraceId>,
    /// The digest of its text, if that is the text that is shown: it is not grouped, or it speaks for its lesson. Equal
    /// texts have equal digests; an empty one has none.
    pub lesson_digest: Option<Uuid>,
    /// Its lesson. `None` if it is not grouped.
    pub lesson_id: Option<LessonId>,
    /// How many situations are merged into it.
    pub absorbed: i32,
    status: i16,
}

/// An open search: candidates first, then what is served, in one transaction.
#[derive(Debug)]
pub struct Search {
    pub(super) transaction: ProjectTx,
    pub(super) _turn: SearchTurn,
}

impl MemoryStore<'_> {
    /// Opens a search.
    pub async fn search(&self, by: SearchBy) -> Result<Search, StoreError> {
        let (transaction, turn) = self.db.search_transaction(by).await?;
        Ok(Search { transaction, _turn: turn })
    }
}

impl Search {
    /// Ends a search that serves nothing.
    pub async fn close(self) -> Result<(), StoreError> {
        self.transaction.commit().await
    }

    /// The `most` nearest memories that may be served, nearest first.
    pub async fn nearest(
        &mut self,
        space: SpaceId,
        question: &[f32],
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        let mut asked = most as i64;
        loop {
            let statement = if filter.is_empty() {
                sqlx::query_as(include_str!("../../sql/memories/nearest.sql"))
            } else {
                sqlx::query_as(include_str!("../../sql/memories/nearest_filtered.sql"))
            };
            let mut statement =
                statement.bind(self.transaction.project).bind(space).bind(question).bind(asked);
            if !filter.is_empty() {
                statement = statement.bind(json(&filter.with)).bind(json(&filter.without));
            }
            let mut found: Vec<MemoryCandidate> = statement.fetch_all(&mut *self.transaction).await?;
            let exhausted = (found.len() as i64) < asked;
            found.retain(MemoryCandidate::may_be_served);
            if found.len() >= most || exhausted || asked >= WIDEST {
                found.truncate(most);
                return Ok(found);
            }
            asked *= WIDER;
        }
    }

    /// The memories that share most words with a query.
    pub async fn worded(
        &mut self,
        question: &str,
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        let mut found: Vec<MemoryCandidate> = sqlx::query_as(include_str!("../../sql/memories/worded.sql"))
            .bind(self.transaction.project)
            .bind(question)
            .bind(most as i64)
            .bind(json(&filter.with))
            .bind(json(&filter.without))
            .fetch_all(&mut *self.transaction)
            .await?;
        found.retain(MemoryCandidate::may_be_served);
        Ok(found)
    }

    /// Pinned memories that match a filter, with any similarity to the query. By words if there is no vector.
    pub async fn pinned(
        &mut self,
        pinned: &[MemoryId],
        question: &str,
        vector: Option<(SpaceId, &[f32])>,
        filter: &MemoryFilter,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        let mut found: Vec<MemoryCandidate> = sqlx::query_as(include_str!("../../sql/memories/pinned.sql"))
            .bind(self.transaction.project)
            .bind(pinned)
            .bind(vector.map(|(space, _)| space))
            .bind(vector.map(|(_, vector)| vector))
            .bind(question)
            .bind(json(&filter.with))
            .bind(json(&filter.without))
            .fetch_all(&mut *self.transaction)
            .await?;
        found.retain(MemoryCandidate::may_be_served);
        Ok(found)
    }

    /// The vectors of a few memories of a space.
    pub async fn vectors(
        &mut self,
        space: SpaceId,
        memories: &[MemoryId],
    ) -> Result<Vec<(MemoryId, Vec<f32>)>, StoreError> {
        let vectors = sqlx::query_as(include_str!("../../sql/memories/vectors.sql"))
            .bind(self.transaction.project)
            .bind(space)
            .bind(memories)
            .fetch_all(&mut *self.transaction)
            .await?;
        Ok(vectors)
    }
}

impl MemoryCandidate {
    const fn may_be_served(&self) -> bool {
        self.status == MemoryStatus::Active.code()
    }
}

fn json(map: &Map<String, Value>) -> Value {
    Value::Object(map.clone())
}

/// A memory, as it is served.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryRow {
    /// Its id.
    pub memory_id: MemoryId,
    /// The task it was learned from.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// The tools that its run used.
    pub tools_used: Vec<String>,
    /// The result of its run.
    pub success: Option<bool>,
    /// As its run was described.
    pub metadata: Value,
    /// Where its text came from.
    pub origin: MemoryOrigin,
    /// The run it was learned from.
    pub source_trace: Option<TraceId>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// Suspicious findings in its texts.
    pub flags: Vec<String>,
    /// The trust of its source.
    pub trust: Trust,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its `q_value`.
    pub q: f32,
    /// The credit: results of its runs compared with the expectation.
    pub credit: Credit,
    /// How many reviews moved its utility.
    pub reviews: i32,
    /// How many of them were passes.
    pub passes: i32,
    /// Its lesson: its own id if it is not grouped.
    pub lesson_id: LessonId,
    /// How many runs its lesson comes from, this one included; at most 1000.
    pub runs: i32,
    /// How many of these runs passed.
    pub passed_runs: i32,
    /// The reviews of the active memory with the most reviews and the same lesson.
    pub lesson_reviews: i32,
    /// How many of them were passes.
    pub lesson_passes: i32,
}

impl FromRow<'_, PgRow> for MemoryRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            memory_id: row.try_get("memory_id")?,
            task: row.try_get("task")?,
            reflection: row.try_get("reflection")?,
            summary: row.try_get("summary")?,
            guidance: row.try_get("guidance")?,
            key_mistake: row.try_get("key_mistake")?,
            correct_action: row.try_get("correct_action")?,
            applicable_tools: row.try_get("applicable_tools")?,
            tools_used: row.try_get("tools_used")?,
            success: row.try_get("success")?,
            metadata: row.try_get("metadata")?,
            origin: coded(MemoryOrigin::from_code(row.try_get("origin")?))?,
            source_trace: row.try_get("source_trace")?,
            model: row.try_get("model")?,
            note: row.try_get("note")?,
            flags: row.try_get("flags")?,
            trust: coded(Trust::from_code(row.try_get("trust")?))?,
            created_at: row.try_get("created_at")?,
            q: row.try_get("q")?,
            credit: Credit::stored(row.try_get("credit")?, row.try_get("evidence")?),
            reviews: row.try_get("reviews")?,
            passes: row.try_get("passes")?,
            lesson_id: row.try_get("lesson_id")?,
            runs: row.try_get("runs")?,
            passed_runs: row.try_get("passed_runs")?,
            lesson_reviews: row.try_get("lesson_reviews")?,
            lesson_passes: row.try_get("lesson_passes")?,
        })
    }
}

impl Search {
    /// Ends the search with the texts of the served memories, in no particular order.
    pub async fn serve(mut self, memories: &[MemoryId]) -> Result<Vec<MemoryRow>, StoreError> {
        let rows = self.texts(memories).await?;
        self.transaction.commit().await?;
        Ok(rows)
    }

    /// The texts of memories, in no particular order.
    pub(super) async fn texts(&mut self, memories: &[MemoryId]) -> Result<Vec<MemoryRow>, StoreError> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let texts = sqlx::query_as(include_str!("../../sql/memories/serve.sql"));
        let texts = texts.bind(self.transaction.project).bind(memories);
        Ok(texts.fetch_all(&mut *self.transaction).await?)
    }
}

/// A reviewed run with a similar task.
#[derive(Debug, Clone, Copy, PartialEq, sqlx::FromRow)]
pub struct ReviewedNeighbour {
    /// The similarity of the tasks.
    pub similarity: f32,
    /// Whether the run passed.
    pub passed: bool,
    /// When it was reviewed.
    pub reviewed_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct NeighbourRow {
    #[sqlx(flatten)]
    run: ReviewedNeighbour,
    looked_at: i64,
}

impl Search {
    /// The reviewed runs with the most similar tasks, nearest first: `most` of them, at most `of_memory` of the runs behind
    /// one memory, newest first.
    pub async fn neighbours(
        &mut self,
        space: SpaceId,
        task: &[f32],
        most: usize,
        of_memory: usize,
    ) -> Result<Vec<ReviewedNeighbour>, StoreError> {
        let mut asked = most as i64 * 2;
        loop {
            let found = self.neighbours_among(space, task, asked, of_memory).await?;
            // Without a row there is no count; the maximum limit then ends the search.
            let exhausted = found.first().is_some_and(|first| first.looked_at < asked);
            if found.len() >= most || exhausted || asked >= WIDEST {
                return Ok(found.into_iter().take(most).map(|found| found.run).collect());
            }
            asked *= WIDER;
        }
    }

    /// The same among the `most` memories with the most similar tasks, without a wider search if these have too few runs.
    pub async fn near_neighbours(
        &mut self,
        space: SpaceId,
        task: &[f32],
        most: usize,
        of_memory: usize,
    ) -> Result<Vec<ReviewedNeighbour>, StoreError> {
        let found = self.neighbours_among(space, task, most as i64, of_memory).await?;
        Ok(found.into_iter().take(most).map(|found| found.run).collect())
    }

    async fn neighbours_among(
        &mut self,
        space: SpaceId,
        task: &[f32],
        memories: i64,
        of_memory: usize,
    ) -> Result<Vec<NeighbourRow>, StoreError> {
        let found = sqlx::query_as(include_str!("../../sql/memories/neighbours.sql"))
            .bind(self.transaction.project)
            .bind(space)
            .bind(task)
            .bind(memories)
            .bind(of_memory as i64)
            .fetch_all(&mut *self.transaction)
            .await?;
        Ok(found)
    }

    /// Number of the project's last reviews and of the passes among them, without one review.
    pub async fn recent_reviews(&mut self, most: usize, without: ReviewId) -> Result<(u32, u32), StoreError> {
        let (reviews, passes): (i64, i64) = sqlx::query_as(include_str!("../../sql/reviews/recent.sql"))
            .bind(self.transaction.project)
            .bind(most as i64)
            .bind(without)
            .fetch_one(&mut *self.transaction)
            .await?;
        Ok((u32::try_from(reviews).unwrap_or(u32::MAX), u32::try_from(passes).unwrap_or(u32::MAX)))
    }
}
