//! Which memories are meant: by id, by what they are, by what became of them, by where they came from.

use chrono::{DateTime, Utc};
use reflect_types::{KeyId, MemoryId, MemoryOrigin, MemoryStatus, TraceId};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// A description of memories. What is none is not asked about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemorySelection {
    /// These.
    pub ids: Option<Vec<MemoryId>>,
    /// With one of these statuses.
    pub status: Option<Vec<MemoryStatus>>,
    /// Written by one of these.
    pub origin: Option<Vec<MemoryOrigin>>,
    /// Pinned, or not.
    pub pinned: Option<bool>,
    /// With a utility below this.
    pub utility_below: Option<f64>,
    /// With a utility above this.
    pub utility_above: Option<f64>,
    /// With a credit below this.
    pub credit_below: Option<f64>,
    /// With a credit above this.
    pub credit_above: Option<f64>,
    /// With at least so much evidence.
    pub evidence_at_least: Option<i32>,
    /// That came in with this key.
    pub author_key: Option<KeyId>,
    /// That were learned from this run.
    pub source_trace: Option<TraceId>,
    /// Made then or later.
    pub created_after: Option<DateTime<Utc>>,
    /// Made before then.
    pub created_before: Option<DateTime<Utc>>,
    /// Whose task or lesson has this text in it, in any case.
    pub text: Option<String>,
}

/// In which order memories are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemorySort {
    /// The newest first.
    #[default]
    Newest,
    /// The highest utility first.
    Utility,
    /// The most evidence first.
    Evidence,
    /// What somebody should look at first.
    Attention,
    /// What did most harm first.
    Harm,
}

impl MemorySort {
    const fn code(self) -> i32 {
        match self {
            Self::Newest => 0,
            Self::Utility => 1,
            Self::Evidence => 2,
            Self::Attention => 3,
            Self::Harm => 4,
        }
    }
}

impl ProjectCtx {
    /// The ids of memories that a selection describes, after a cursor.
    pub async fn matching_memories(
        &self,
        selection: &MemorySelection,
        sort: MemorySort,
        after: Option<MemoryId>,
        limit: i64,
    ) -> Result<Vec<MemoryId>, StoreError> {
        let mut transaction = self.read().await?;
        let codes = |status: &Vec<MemoryStatus>| status.iter().map(|one| one.code()).collect::<Vec<_>>();
        let origins = |origin: &Vec<MemoryOrigin>| origin.iter().map(|one| one.code()).collect::<Vec<_>>();
        let found = sqlx::query_scalar(include_str!("../../sql/care/matching.sql"))
            .bind(self.project)
            .bind(after)
            .bind(limit)
            .bind(sort.code())
            .bind(&selection.ids)
            .bind(selection.status.as_ref().map(codes))
            .bind(selection.origin.as_ref().map(origins))
            .bind(selection.pinned)
            .bind(selection.utility_below)
            .bind(selection.utility_above)
            .bind(selection.credit_below)
            .bind(selection.credit_above)
            .bind(selection.evidence_at_least)
            .bind(selection.author_key)
            .bind(selection.source_trace)
            .bind(selection.created_after)
            .bind(selection.created_before)
            .bind(&selection.text)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(found)
    }

    /// How memories stand, without holding them.
    pub async fn memory_states(&self, memories: &[MemoryId]) -> Result<Vec<super::MemoryState>, StoreError> {
        let mut transaction = self.read().await?;
        let states =
            sqlx::query_as(include_str!("../../sql/care/states.sql")).bind(self.project).bind(memories);
        let states = states.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(states)
    }
}
