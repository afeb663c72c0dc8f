//! Stored situations near a new one, with what tells whether they advise the same.

use reflect_rules::lessons::AdviceKey;
use reflect_types::{LessonId, MemoryId};
use uuid::Uuid;

use super::LessonStore;
use crate::db::SearchBy;
use crate::error::StoreError;
use crate::ids::SpaceId;

/// An active situation near a new one.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct NearRow {
    /// The situation.
    pub memory_id: MemoryId,
    /// Its lesson. `None` if it is not grouped.
    pub lesson_id: Option<LessonId>,
    /// Equal for situations with one lesson, grouped or not.
    pub lesson_key: Uuid,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// Its `q_value`.
    pub q: f32,
    /// Its credit.
    pub credit: f32,
    /// The evidence behind the credit.
    pub evidence: i32,
    /// What it advises, as a stored key: that of its lesson if its lesson was edited. `None` if that is not computed yet.
    pub advice: Option<Uuid>,
    /// The correct action that the advice is from. Empty if it names none.
    pub correct_action: String,
    /// Whether a model wrote that action, and no person edited it.
    pub by_model: bool,
    /// Whether its source is not trusted. It stays so if others corroborated the memory.
    pub untrusted: bool,
    /// Whether ranking bounds its value, because its source is not trusted and no others corroborated it.
    pub is_bounded: bool,
    /// How many runs it has absorbed.
    pub absorbed: i32,
    /// It, or the memory that speaks for its lesson, is pinned, or was written or edited by a person.
    pub is_protected: bool,
    /// The text of its lesson. Empty except for the nearest five.
    pub reflection: String,
}

impl LessonStore<'_> {
    /// The `most` nearest active situations, nearest first, and the nearest one whose lesson gives the same advice, however far
    /// it is; with a `most` of 0, the nearest grouped one. Reads the primary.
    pub async fn near(
        &self,
        space: SpaceId,
        vector: &[f32],
        advice: Option<AdviceKey>,
        most: i64,
    ) -> Result<Vec<NearRow>, StoreError> {
        let (mut transaction, _turn) = self.db.search_transaction(SearchBy::Vector).await?;
        let near = sqlx::query_as(include_str!("../../sql/lessons/near.sql"))
            .bind(self.db.project)
            .bind(space)
            .bind(vector)
            .bind(most)
            .bind(advice.map(AdviceKey::as_uuid))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(near)
    }
}
