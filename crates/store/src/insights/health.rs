//! Input of the loop health rules: counts over limited windows, read in one transaction.

use chrono::{DateTime, Utc};
use reflect_rules::agreement::VerdictPairs;
use reflect_types::MemoryId;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres};

use super::InsightStore;
use crate::db::ProjectTx;
use crate::error::StoreError;
use crate::judgements;
use crate::judgements::JudgeIdentity;

/// Runs that are old enough to have been reviewed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct RipeRuns {
    /// How many there are.
    pub runs: i64,
    /// Those without a review.
    pub unreviewed: i64,
}

impl RipeRuns {
    /// Minimum age of such a run, in days.
    pub const FROM_DAYS: i32 = 7;
    /// Maximum age of the counted runs, in days.
    pub const TO_DAYS: i32 = 30;
    /// Maximum number of rows that are read.
    pub const MOST: i64 = 10_000;
}

/// How it is known which memories runs had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct LinkFacts {
    /// Runs that had memories.
    pub linked: i64,
    /// Those whose memories were found in their messages only.
    pub found_in_trajectory: i64,
    /// Those whose memories had to be inferred from a retrieval before.
    pub inferred: i64,
}

impl LinkFacts {
    /// The window, in days.
    pub const DAYS: i32 = 7;
    /// Maximum number of runs that are read.
    pub const MOST: i64 = 5_000;
}

/// What retrievals of agents gave. Lookups of members in the console do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct RetrievalFacts {
    /// Retrievals since the first memory, without the holdout.
    pub retrievals: i64,
    /// Those that gave nothing.
    pub empty: i64,
    /// Those that found something but had no room for it.
    pub without_room: i64,
    /// Those that searched by words only.
    pub degraded: i64,
    /// Median similarity of the nearest memory, where nothing was similar enough.
    pub near_miss: Option<f64>,
}

impl RetrievalFacts {
    /// The window, in days.
    pub const DAYS: i32 = 7;
    /// Maximum number of rows that are read.
    pub const MOST: i64 = 1_000;
}

/// The memory that is served most to agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct MostServed {
    /// Retrievals that served anything.
    pub retrievals: i64,
    /// The memory.
    pub memory_id: Option<MemoryId>,
    /// How many of them it was served in.
    pub times: i64,
}

impl MostServed {
    /// The window, in days: the retention of receipts.
    pub const DAYS: i32 = 30;
    /// Maximum number of retrievals that count.
    pub const MOST: i64 = 1_000;
    /// Maximum number of retrievals that are read.
    const AMONG: i64 = 5_000;
}

/// The newest live reviews, and the progress of learning from them.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct ReviewFacts {
    /// How many there are.
    pub reviews: i64,
    /// Failed ones.
    pub fails: i64,
    /// Failed ones with very short feedback.
    pub vague: i64,
    /// Those whose lesson failed.
    pub given_up: i64,
    /// Those whose lesson will be retried.
    pub waiting: i64,
    /// The last error.
    pub last_error: Option<String>,
}

impl ReviewFacts {
    /// Maximum number of rows that are read.
    pub const MOST: i64 = 1_000;
    /// Shorter feedback counts as vague.
    pub const VAGUE_BELOW: i32 = 15;
}

/// The agreement between the project's judge and people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgeFacts {
    /// Whether it is enabled and has a model.
    pub judging: bool,
    /// Verdicts of both on the same runs.
    pub pairs: VerdictPairs,
}

/// The newest memories in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct MemoryFacts {
    /// How many there are.
    pub active: i64,
    /// Those with a utility near the start value.
    pub flat: i64,
}

impl MemoryFacts {
    /// Maximum number of rows that are read.
    pub const MOST: i64 = 10_000;
    /// Maximum distance from the start value that counts as near.
    pub const FLAT_WITHIN: f32 = 0.02;
}

/// Memories with a near duplicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct DuplicateFacts {
    /// How many memories were compared.
    pub sampled: i64,
    /// Those with a near duplicate.
    pub doubled: i64,
}

impl DuplicateFacts {
    /// The most memories that are compared.
    pub const SAMPLE: i64 = 200;
    /// The most memories that they are compared with.
    pub const AMONG: i64 = 2_000;
    /// Above this similarity two memories are about the same.
    pub const SAME_ABOVE: f64 = 0.95;
}

/// Reports of clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct ClientFacts {
    /// Clients that reported.
    pub reporting: i64,
    /// Those that lost or delay runs.
    pub losing: i64,
    /// Runs that were lost.
    pub dropped: i64,
    /// Runs that wait in the client's spool.
    pub spooled: i64,
    /// The client that loses most.
    pub worst: Option<String>,
    /// What it runs.
    pub worst_sdk: Option<String>,
    /// When it reported.
    pub worst_at: Option<DateTime<Utc>>,
}

impl ClientFacts {
    /// The window, in days.
    pub const DAYS: i32 = 1;
    /// After how many days a report is removed.
    const KEPT_DAYS: i32 = 7;
}

/// Keys that were used lately, and when they expire.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct KeyFacts {
    /// How many there are.
    pub used: i64,
    /// Those that expire soon.
    pub expiring: i64,
    /// Those that have expired and were still used in the last day.
    pub expired: i64,
    /// The public id of the one that expires first.
    pub first: Option<String>,
    /// Its label.
    pub first_label: Option<String>,
    /// When it expires.
    pub first_at: Option<DateTime<Utc>>,
}

impl KeyFacts {
    /// The window of use, in days.
    pub const DAYS: i32 = 30;
    /// From how many days before the expiry on it counts as soon.
    pub const SOON_DAYS: i32 = 14;
}

/// The input of the loop health rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoopFacts {
    /// Runs that are old enough to have been reviewed.
    pub ripe_runs: RipeRuns,
    /// How it is known which memories runs had.
    pub links: LinkFacts,
    /// What retrievals gave.
    pub retrievals: RetrievalFacts,
    /// The memory that is served most.
    pub most_served: MostServed,
    /// The newest reviews.
    pub reviews: ReviewFacts,
    /// The agreement between judge and people.
    pub judges: JudgeFacts,
    /// The newest memories.
    pub memories: MemoryFacts,
    /// Memories with a near duplicate.
    pub duplicates: DuplicateFacts,
    /// Reports of clients.
    pub clients: ClientFacts,
    /// Keys that were used lately.
    pub keys: KeyFacts,
}

/// A report of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClientReport {
    /// Its name, such as a host.
    pub client: String,
    /// What it runs.
    pub sdk: Option<String>,
    /// How many runs it has lost.
    pub dropped: i64,
    /// How many runs wait there to be sent.
    pub spooled: i64,
}

type Asked<'q> = sqlx::query::Query<'q, Postgres, sqlx::postgres::PgArguments>;

impl InsightStore<'_> {
    /// Reads the input of loop health. Without a judge, its agreement is not read.
    pub async fn loop_facts(&self, judge: Option<&JudgeIdentity>) -> Result<LoopFacts, StoreError> {
        let ask = |statement: &'static str| sqlx::query(statement).bind(self.db.project);
        let ripe_runs = ask(include_str!("../../sql/health/ripe_runs.sql"))
            .bind(RipeRuns::FROM_DAYS)
            .bind(RipeRuns::TO_DAYS)
            .bind(RipeRuns::MOST);
        let links =
            ask(include_str!("../../sql/health/links.sql")).bind(LinkFacts::DAYS).bind(LinkFacts::MOST);
        let retrievals = ask(include_str!("../../sql/health/retrievals.sql"))
            .bind(RetrievalFacts::DAYS)
            .bind(RetrievalFacts::MOST);
        let most_served = ask(include_str!("../../sql/health/most_served.sql"))
            .bind(MostServed::DAYS)
            .bind(MostServed::AMONG)
            .bind(MostServed::MOST);
        let reviews = ask(include_str!("../../sql/health/reviews.sql"))
            .bind(ReviewFacts::MOST)
            .bind(ReviewFacts::VAGUE_BELOW);
        let memories = ask(include_str!("../../sql/health/memories.sql"))
            .bind(MemoryFacts::MOST)
            .bind(MemoryFacts::FLAT_WITHIN);
        let duplicates = ask(include_str!("../../sql/health/duplicates.sql"))
            .bind(DuplicateFacts::SAMPLE)
            .bind(DuplicateFacts::AMONG)
            .bind(DuplicateFacts::SAME_ABOVE);
        let clients = ask(include_str!("../../sql/health/clients.sql")).bind(ClientFacts::DAYS);
        let keys =
            ask(include_str!("../../sql/health/keys.sql")).bind(KeyFacts::DAYS).bind(KeyFacts::SOON_DAYS);
        self.db.flush_receipts().await;
        let mut transaction = self.db.read().await?;
        let mut judges = JudgeFacts::default();
        if let Some(judge) = judge {
            judges = JudgeFacts { judging: true, pairs: judgements::pairs(&mut transaction, judge).await? };
        }
        let facts = LoopFacts {
            ripe_runs: one(&mut transaction, ripe_runs).await?,
            links: one(&mut transaction, links).await?,
            retrievals: one(&mut transaction, retrievals).await?,
            most_served: one(&mut transaction, most_served).await?,
            reviews: one(&mut transaction, reviews).await?,
            judges,
            memories: one(&mut transaction, memories).await?,
            duplicates: one(&mut transaction, duplicates).await?,
            clients: one(&mut transaction, clients).await?,
            keys: one(&mut transaction, keys).await?,
        };
        transaction.commit().await?;
        Ok(facts)
    }

    /// Replaces the report of a client.
    pub async fn report_client(&self, report: &NewClientReport) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        sqlx::query(include_str!("../../sql/health/report_client.sql"))
            .bind(self.db.project)
            .bind(&report.client)
            .bind(&report.sdk)
            .bind(report.dropped)
            .bind(report.spooled)
            .bind(ClientFacts::KEPT_DAYS)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

/// A count always has one row.
async fn one<T: for<'r> FromRow<'r, PgRow>>(
    transaction: &mut ProjectTx,
    asked: Asked<'_>,
) -> Result<T, StoreError> {
    Ok(T::from_row(&asked.fetch_one(&mut **transaction).await?)?)
}
