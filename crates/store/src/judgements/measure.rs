//! How far a judge agrees with people, what it did lately, and what it cost.

use std::time::Duration;

use sqlx::{FromRow, Postgres, Transaction};

use super::JudgeIdentity;
use crate::error::StoreError;
use crate::learning::Cost;
use crate::project_ctx::ProjectCtx;

/// Runs that a judge looked at blind and that somebody else reviewed: what each said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct JudgePairs {
    /// Runs that pass, as their reviewers say.
    pub passes: i64,
    /// Those of them that the judge calls a pass too.
    pub passes_right: i64,
    /// Runs that fail, as their reviewers say.
    pub fails: i64,
    /// Those of them that the judge calls a fail too.
    pub fails_right: i64,
}

impl JudgePairs {
    /// The most that count, newest runs first: a judge is what it is lately.
    pub const MOST: i64 = 200;

    /// How many there are.
    pub const fn total(&self) -> i64 {
        self.passes + self.fails
    }

    /// On how many both say the same.
    pub const fn agreed(&self) -> i64 {
        self.passes_right + self.fails_right
    }
}

/// What a judge did in the last days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct JudgeWeek {
    /// Runs that it looked at.
    pub judged: i64,
    /// Those it calls a pass.
    pub passed: i64,
    /// Those it calls a fail.
    pub failed: i64,
    /// Those it could not tell.
    pub unclear: i64,
    /// Those whose verdict is kept from reviewers.
    pub blind: i64,
    /// Those whose verdict became a review.
    pub applied: i64,
}

impl JudgeWeek {
    /// How far back is looked, in days.
    pub const DAYS: i32 = 7;
}

impl ProjectCtx {
    /// How often this judge and people said the same of the same run.
    pub async fn judge_pairs(&self, judge: &JudgeIdentity) -> Result<JudgePairs, StoreError> {
        let mut transaction = self.read().await?;
        let pairs = self.judge_pairs_in(&mut transaction, judge).await?;
        transaction.commit().await?;
        Ok(pairs)
    }

    pub(crate) async fn judge_pairs_in(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        judge: &JudgeIdentity,
    ) -> Result<JudgePairs, StoreError> {
        let pairs = sqlx::query_as(include_str!("../../sql/judgements/pairs.sql"))
            .bind(self.project)
            .bind(&judge.model)
            .bind(judge.rubric_digest.as_slice())
            .bind(JudgePairs::MOST);
        Ok(pairs.fetch_one(&mut **transaction).await?)
    }

    /// What the project's judge did lately.
    pub async fn judge_week(&self) -> Result<JudgeWeek, StoreError> {
        let mut transaction = self.read().await?;
        let week = sqlx::query_as(include_str!("../../sql/judgements/week.sql"))
            .bind(self.project)
            .bind(JudgeWeek::DAYS)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(week)
    }

    /// Notes what a judge was paid for without a judgement to show for it.
    pub async fn spend_on_judge(&self, cost: Cost) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../../sql/judgements/spend.sql"))
            .bind(self.project)
            .bind(cost.calls)
            .bind(cost.input_tokens)
            .bind(cost.output_tokens)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }

    /// How many tokens the judge was paid for today, and how long today still lasts.
    pub async fn judge_spent_today(&self) -> Result<(i64, Duration), StoreError> {
        let mut transaction = self.read().await?;
        let spent = sqlx::query_as(include_str!("../../sql/judgements/spent.sql")).bind(self.project);
        let (tokens, rest): (i64, f64) = spent.fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        Ok((tokens, Duration::from_secs_f64(rest.max(0.0))))
    }
}
