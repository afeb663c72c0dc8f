//! The agreement of a judge with people, its recent work, and its cost.

use std::time::Duration;

use reflect_rules::agreement::VerdictPairs;
use sqlx::FromRow;

use super::{JudgeIdentity, JudgementStore};
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::learning::ModelCost;

/// The recent work of a judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct JudgeWeekCounts {
    /// Judged runs.
    pub judged: i64,
    /// Passes.
    pub passed: i64,
    /// Fails.
    pub failed: i64,
    /// Undecided ones.
    pub unclear: i64,
    /// Blind ones: hidden from reviewers.
    pub blind: i64,
    /// Those that became a review.
    pub applied: i64,
}

impl JudgeWeekCounts {
    /// The window, in days.
    pub const DAYS: i32 = 7;
}

impl JudgementStore<'_> {
    /// How often this judge and people agreed on the same run.
    pub async fn pairs(&self, judge: &JudgeIdentity) -> Result<VerdictPairs, StoreError> {
        let mut transaction = self.db.read().await?;
        let pairs = pairs(&mut transaction, judge).await?;
        transaction.commit().await?;
        Ok(pairs)
    }

    /// The model that judged the newest judged run.
    pub async fn last_model(&self) -> Result<Option<String>, StoreError> {
        let mut transaction = self.db.read().await?;
        let model = sqlx::query_scalar(include_str!("../../sql/judgements/last_model.sql"))
            .bind(self.db.project)
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(model)
    }

    /// The recent work of the project's judge.
    pub async fn week(&self) -> Result<JudgeWeekCounts, StoreError> {
        let mut transaction = self.db.read().await?;
        let week = sqlx::query_as(include_str!("../../sql/judgements/week.sql"))
            .bind(self.db.project)
            .bind(JudgeWeekCounts::DAYS)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(week)
    }

    /// Records the cost of a judge call without a judgement.
    pub async fn spend(&self, cost: ModelCost) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        sqlx::query(include_str!("../../sql/judgements/spend.sql"))
            .bind(self.db.project)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }

    /// The tokens of the judge today, and the time until the day ends.
    pub async fn spent_today(&self) -> Result<(i64, Duration), StoreError> {
        let mut transaction = self.db.read().await?;
        let spent = sqlx::query_as(include_str!("../../sql/judgements/spent.sql")).bind(self.db.project);
        let (tokens, rest): (i64, f64) = spent.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok((tokens, Duration::from_secs_f64(rest.max(0.0))))
    }
}

pub(crate) async fn pairs(
    transaction: &mut ProjectTx,
    judge: &JudgeIdentity,
) -> Result<VerdictPairs, StoreError> {
    let pairs = sqlx::query_as(include_str!("../../sql/judgements/pairs.sql"))
        .bind(transaction.project)
        .bind(&judge.model)
        .bind(judge.rubric_digest.as_slice())
        .bind(VerdictPairs::MOST);
    let (passes, agreed_passes, fails, agreed_fails) = pairs.fetch_one(&mut **transaction).await?;
    Ok(VerdictPairs { passes, agreed_passes, fails, agreed_fails })
}
