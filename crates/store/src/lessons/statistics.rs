//! Statistics of learning: how well each weight of utility would have served, and how reliably use is inferred. One row per
//! project, written after the memory, so no learning waits for it.

use chrono::{DateTime, Utc};
use reflect_rules::inferred_use::UseTally;
use reflect_rules::replay::{Proof, ReplayCandidate, ReplayScores};
use reflect_types::GroupingState;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::LessonStore;
use crate::db::{ProjectTx, coded};
use crate::error::StoreError;
use crate::ids::ActionId;

/// What is known about learning in a project.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearningStatistics {
    /// How well each weight of utility would have served.
    pub replay: ReplayScores,
    /// How similar used and unused lessons are to what runs did.
    pub uses: UseTally,
    /// How far the grouping of earlier memories is.
    pub grouping: GroupingState,
    /// How many memories it has looked at.
    pub grouped: i64,
    /// How many memories were not grouped when it began.
    pub to_group: i64,
    /// Its action.
    pub grouping_action: Option<ActionId>,
    /// When it began.
    pub grouping_since: Option<DateTime<Utc>>,
}

impl Default for LearningStatistics {
    fn default() -> Self {
        Self {
            replay: ReplayScores::default(),
            uses: UseTally::default(),
            grouping: GroupingState::Waiting,
            grouped: 0,
            to_group: 0,
            grouping_action: None,
            grouping_since: None,
        }
    }
}

/// A review as a test of the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayStep {
    /// The situations nearest to the run.
    pub candidates: Vec<ReplayCandidate>,
    /// How many votes an answer has.
    pub limit: usize,
    /// What the review says about lessons.
    pub proof: Proof,
}

impl FromRow<'_, PgRow> for LearningStatistics {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let (found, unused): (Vec<i32>, Vec<i32>) = (row.try_get("use_found")?, row.try_get("use_unused")?);
        Ok(Self {
            replay: replay_scores(row.try_get("replayed")?, &row.try_get::<Vec<f32>, _>("weight_scores")?),
            uses: UseTally { used: bins(&found), unused: bins(&unused) },
            grouping: coded(GroupingState::from_code(row.try_get("grouping")?))?,
            grouped: row.try_get("grouped")?,
            to_group: row.try_get("to_group")?,
            grouping_action: row.try_get("grouping_action")?,
            grouping_since: row.try_get("grouping_since")?,
        })
    }
}

/// Stored scores. Missing ones are 0.
fn replay_scores(reviews: i32, stored: &[f32]) -> ReplayScores {
    let mut scores = ReplayScores { reviews: u32::try_from(reviews).unwrap_or(0), ..ReplayScores::default() };
    for (score, stored) in scores.scores.iter_mut().zip(stored) {
        *score = *stored;
    }
    scores
}

fn bins<const N: usize>(stored: &[i32]) -> [u32; N] {
    let mut bins = [0; N];
    for (bin, stored) in bins.iter_mut().zip(stored) {
        *bin = u32::try_from(*stored).unwrap_or(0);
    }
    bins
}

fn stored(bins: &[u32]) -> Vec<i32> {
    bins.iter().map(|bin| i32::try_from(*bin).unwrap_or(i32::MAX)).collect()
}

impl LessonStore<'_> {
    /// What is known about learning.
    pub async fn statistics(&self) -> Result<LearningStatistics, StoreError> {
        let mut transaction = self.db.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/lessons/statistics.sql")).bind(self.db.project);
        let found: Option<LearningStatistics> = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(found.unwrap_or_default())
    }

    /// Adds a review to the statistics: a test of the weights, and lessons whose use a client reported, with their similarity
    /// to what the run did. The commit does not wait for the disk.
    pub async fn record_statistics(
        &self,
        replay: Option<&ReplayStep>,
        uses: &[(f32, bool)],
    ) -> Result<(), StoreError> {
        if replay.is_none() && uses.is_empty() {
            return Ok(());
        }
        let mut transaction = self.db.relaxed_point_write().await?;
        let mut known = lock_statistics(&mut transaction).await?;
        if let Some(step) = replay {
            known.replay = known.replay.after(&step.candidates, step.limit, &step.proof);
        }
        for (similarity, used) in uses {
            known.uses = known.uses.after(*similarity, *used);
        }
        sqlx::query(include_str!("../../sql/lessons/save_statistics.sql"))
            .bind(self.db.project)
            .bind(i32::try_from(known.replay.reviews).unwrap_or(i32::MAX))
            .bind(known.replay.scores.to_vec())
            .bind(stored(&known.uses.used))
            .bind(stored(&known.uses.unused))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

/// Locks the statistics of a project, and creates them if there are none.
pub(super) async fn lock_statistics(transaction: &mut ProjectTx) -> Result<LearningStatistics, StoreError> {
    let created = sqlx::query(include_str!("../../sql/lessons/create_statistics.sql"));
    created.bind(transaction.project).execute(&mut **transaction).await?;
    let held =
        sqlx::query_as(include_str!("../../sql/lessons/lock_statistics.sql")).bind(transaction.project);
    Ok(held.fetch_one(&mut **transaction).await?)
}
