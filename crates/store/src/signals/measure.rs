//! The agreement of a source with people, and its recent signals.

use reflect_rules::agreement::VerdictPairs;
use reflect_types::{SignalSource, SourceRule};
use sqlx::FromRow;

use super::SignalStore;
use crate::error::StoreError;

/// How many signals that reviewers had not seen are looked at: most runs may have no review.
const MOST_UNSEEN: i64 = 10_000;
/// How many signals and reviews of the last days are counted.
const MOST_COUNTED: i64 = 100_000;
/// How many sources are listed. Each costs a query.
const MOST_SOURCES: i64 = 50;

/// The recent signals of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct SourceWeek {
    /// The name of the source.
    pub source: String,
    /// How many signals were received.
    pub signals: i64,
    /// How many of them wait for a run.
    pub waiting: i64,
    /// How many reviews that still count were made from signals of this source.
    pub reviews: i64,
}

impl SourceWeek {
    /// The window, in days.
    pub const DAYS: i32 = 7;
}

impl SignalStore<'_> {
    /// How often a source and people agreed about a run that both judged independently.
    pub async fn pairs(&self, source: &SignalSource, rule: &SourceRule) -> Result<VerdictPairs, StoreError> {
        let mut transaction = self.db.read().await?;
        let pairs = sqlx::query_as(include_str!("../../sql/signals/pairs.sql"))
            .bind(self.db.project)
            .bind(source.as_str())
            .bind(rule.pass_from)
            .bind(rule.fail_below)
            .bind(MOST_UNSEEN)
            .bind(VerdictPairs::MOST)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let (passes, agreed_passes, fails, agreed_fails) = pairs;
        Ok(VerdictPairs { passes, agreed_passes, fails, agreed_fails })
    }

    /// The recent signals of each source, of those with the most signals.
    pub async fn week(&self) -> Result<Vec<SourceWeek>, StoreError> {
        let mut transaction = self.db.read().await?;
        let week = sqlx::query_as(include_str!("../../sql/signals/week.sql"))
            .bind(self.db.project)
            .bind(SourceWeek::DAYS)
            .bind(MOST_COUNTED)
            .bind(MOST_SOURCES)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(week)
    }
}
