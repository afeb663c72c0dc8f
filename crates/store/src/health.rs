//! What the rules of loop health go by: counts over windows that bound the work, read in one transaction.

use chrono::{DateTime, Utc};
use reflect_types::MemoryId;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Postgres, Transaction};

use crate::error::StoreError;
use crate::judgements::{JudgeIdentity, JudgePairs};
use crate::project_ctx::ProjectCtx;

/// Runs that are old enough to have been reviewed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct RipeRuns {
    /// How many there are.
    pub runs: i64,
    /// Those without a review.
    pub unreviewed: i64,
}

impl RipeRuns {
    /// How old a run is then, in days.
    pub const FROM_DAYS: i32 = 7;
    /// Up to which age runs are looked at, in days.
    pub const TO_DAYS: i32 = 30;
    /// The most that are looked at.
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
    /// How far back is looked, in days.
    pub const DAYS: i32 = 7;
    /// The most runs that are looked at.
    pub const MOST: i64 = 5_000;
}

/// What retrievals gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, FromRow)]
pub struct RetrievalFacts {
    /// Retrievals since there are memories, but for those that were held out.
    pub retrievals: i64,
    /// Those that gave nothing.
    pub empty: i64,
    /// Those of them that had found something for which there was no room.
    pub without_room: i64,
    /// Those of them that searched by words only.
    pub degraded: i64,
    /// Where nothing was similar enough: the similarity of the nearest memory, in the middle case.
    pub near_miss: Option<f64>,
}

impl RetrievalFacts {
    /// How far back is looked, in days.
    pub const DAYS: i32 = 7;
    /// The most that are looked at.
    pub const MOST: i64 = 1_000;
}

/// The memory that is served most.
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
    /// How far back is looked, in days: as long as receipts are kept.
    pub const DAYS: i32 = 30;
    /// The most retrievals that count.
    pub const MOST: i64 = 1_000;
    /// The most among which they are looked for.
    const AMONG: i64 = 5_000;
}

/// The newest live reviews, and how far learning from them has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct ReviewFacts {
    /// How many there are.
    pub reviews: i64,
    /// Those that say `fail`.
    pub fails: i64,
    /// Those of them that hardly say why.
    pub vague: i64,
    /// Those whose lesson was given up on.
    pub given_up: i64,
    /// Those whose lesson waits for another attempt.
    pub waiting: i64,
    /// What went wrong last.
    pub last_error: Option<String>,
}

impl ReviewFacts {
    /// The most that are looked at.
    pub const MOST: i64 = 1_000;
    /// Feedback with fewer characters says hardly anything.
    pub const VAGUE_BELOW: i32 = 15;
}

/// How far the project's judge and people agree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JudgeFacts {
    /// Whether it is switched on and has a model to ask.
    pub judging: bool,
    /// What both said of the same runs.
    pub pairs: JudgePairs,
}

/// The newest memories in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct MemoryFacts {
    /// How many there are.
    pub active: i64,
    /// Those whose utility is about where it started.
    pub flat: i64,
}

impl MemoryFacts {
    /// The most that are looked at.
    pub const MOST: i64 = 10_000;
    /// How far from its start a utility is still about there.
    pub const FLAT_WITHIN: f32 = 0.02;
}

/// Memories with another one right beside them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromRow)]
pub struct DuplicateFacts {
    /// How many memories were compared.
    pub sampled: i64,
    /// Those with another one right beside them.
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

/// What clients said about themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, FromRow)]
pub struct ClientFacts {
    /// Clients that reported.
    pub reporting: i64,
    /// Those that lost runs or hold some back.
    pub losing: i64,
    /// Runs that were lost.
    pub dropped: i64,
    /// Runs that wait at the client.
    pub spooled: i64,
    /// The client that loses most.
    pub worst: Option<String>,
    /// What it runs.
    pub worst_sdk: Option<String>,
    /// When it said so.
    pub worst_at: Option<DateTime<Utc>>,
}

impl ClientFacts {
    /// How far back is looked, in days.
    pub const DAYS: i32 = 1;
    /// After how many days without a word a report is removed.
    const KEPT_DAYS: i32 = 7;
}

/// All that the rules of loop health go by.
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
    /// How far the judge and people agree.
    pub judges: JudgeFacts,
    /// The newest memories.
    pub memories: MemoryFacts,
    /// Memories with another one right beside them.
    pub duplicates: DuplicateFacts,
    /// What clients said about themselves.
    pub clients: ClientFacts,
}

/// What a client says about itself.
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

impl ProjectCtx {
    /// Counts all that loop health goes by. Without a judge, none is looked at.
    pub async fn loop_facts(&self, judge: Option<&JudgeIdentity>) -> Result<LoopFacts, StoreError> {
        let ask = |statement: &'static str| sqlx::query(statement).bind(self.project);
        let ripe_runs = ask(include_str!("../sql/health/ripe_runs.sql"))
            .bind(RipeRuns::FROM_DAYS)
            .bind(RipeRuns::TO_DAYS)
            .bind(RipeRuns::MOST);
        let links = ask(include_str!("../sql/health/links.sql")).bind(LinkFacts::DAYS).bind(LinkFacts::MOST);
        let retrievals = ask(include_str!("../sql/health/retrievals.sql"))
            .bind(RetrievalFacts::DAYS)
            .bind(RetrievalFacts::MOST);
        let most_served = ask(include_str!("../sql/health/most_served.sql"))
            .bind(MostServed::DAYS)
            .bind(MostServed::AMONG)
            .bind(MostServed::MOST);
        let reviews = ask(include_str!("../sql/health/reviews.sql"))
            .bind(ReviewFacts::MOST)
            .bind(ReviewFacts::VAGUE_BELOW);
        let memories = ask(include_str!("../sql/health/memories.sql"))
            .bind(MemoryFacts::MOST)
            .bind(MemoryFacts::FLAT_WITHIN);
        let duplicates = ask(include_str!("../sql/health/duplicates.sql"))
            .bind(DuplicateFacts::SAMPLE)
            .bind(DuplicateFacts::AMONG)
            .bind(DuplicateFacts::SAME_ABOVE);
        let clients = ask(include_str!("../sql/health/clients.sql")).bind(ClientFacts::DAYS);
        let mut transaction = self.read().await?;
        let mut judges = JudgeFacts::default();
        if let Some(judge) = judge {
            judges = JudgeFacts { judging: true, pairs: self.judge_pairs_in(&mut transaction, judge).await? };
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
        };
        transaction.commit().await?;
        Ok(facts)
    }

    /// Notes what a client says about itself, in the place of what it said before.
    pub async fn report_client(&self, report: &NewClientReport) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query(include_str!("../sql/health/report_client.sql"))
            .bind(self.project)
            .bind(&report.client)
            .bind(&report.sdk)
            .bind(report.dropped)
            .bind(report.spooled)
            .bind(ClientFacts::KEPT_DAYS)
            .execute(&mut *transaction)
            .await?;
        self.commit(transaction).await
    }
}

/// A count always has one row.
async fn one<T: for<'r> FromRow<'r, PgRow>>(
    transaction: &mut Transaction<'static, Postgres>,
    asked: Asked<'_>,
) -> Result<T, StoreError> {
    Ok(T::from_row(&asked.fetch_one(&mut **transaction).await?)?)
}
