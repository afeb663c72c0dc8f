//! The ledger: which review moved which memory, and the utilities and credits that follow from it.
//!
//! A review enters the ledger and moves utilities in its own transaction. After the reflection on its run, its entries
//! are completed with the used memories and the expected result, and move credits. `refold` computes both again when
//! an earlier entry or a curation step changes.

mod checkpoints;
mod prepare;
mod refold;
mod rows;
mod shares;
mod withdraw;

use std::collections::BTreeMap;

use reflect_rules::credit::{LessonKeys, RunOutcome, UtilityStanding, credit_after_run, known_use};
use reflect_rules::fold::FoldCheckpoint;
use reflect_rules::votes::{Vote, within_daily_limit};
use reflect_types::{Credit, KeyId, MemoryId, ReviewId, UseSource, Utility};
use uuid::Uuid;

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;
use checkpoints::EVERY;
pub(crate) use checkpoints::StoredCheckpoint;
pub(crate) use prepare::{Prepared, prepare};
pub(crate) use refold::{Changed, refold};
pub(crate) use rows::{LedgerRow, curation_step, curation_steps, entries};
pub(crate) use shares::{origins, update_shares, with_survivors};
pub(crate) use withdraw::withdraw;

/// Facets of the curation ledger that change utility or credit, as they are stored.
pub(crate) const HALVED: i16 = 4;
pub(crate) const POOLED: i16 = 5;

/// The utility of each memory after its last entry, and the position of that entry.
type Standings = BTreeMap<MemoryId, FoldCheckpoint<UtilityStanding>>;

/// A new entry, and the utility of its memory before all new entries.
#[derive(sqlx::FromRow)]
struct EnteredRow {
    memory_id: MemoryId,
    seq: i64,
    reward: f32,
    alpha: f32,
    q: f32,
    reviews: i32,
    passes: i32,
}

/// An entry that has not moved the credit of its memory yet, and that credit.
#[derive(sqlx::FromRow)]
struct Uncredited {
    memory_id: MemoryId,
    credit: f32,
    evidence: i32,
    credited: i32,
    reward: f32,
    alpha: f32,
    annealed: bool,
    untrusted: bool,
    lesson: Option<Uuid>,
    text: Option<Uuid>,
}

/// What is known about which memories a run used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunUse<'a> {
    /// The memories that it used, if anything is known.
    pub(crate) used: Option<&'a [MemoryId]>,
    /// The memories that were looked at. `None` if that is all of them.
    pub(crate) compared: Option<&'a [MemoryId]>,
    /// How it is known.
    pub(crate) by: Option<UseSource>,
}

/// Enters votes into the ledger and moves utilities, in the transaction of the reviews.
pub(crate) async fn enter(transaction: &mut ProjectTx, votes: Vec<Vote>) -> Result<(), StoreError> {
    let votes = allowed(transaction, votes).await?;
    if votes.is_empty() {
        return Ok(());
    }
    let entered: Vec<EnteredRow> = sqlx::query_as(include_str!("../../sql/ledger/enter.sql"))
        .bind(transaction.project)
        .bind(all(&votes, |vote| vote.review))
        .bind(all(&votes, |vote| vote.memory))
        .bind(all(&votes, |vote| vote.reward))
        .bind(all(&votes, |vote| vote.alpha))
        .bind(all(&votes, |vote| vote.annealed))
        .bind(all(&votes, |vote| vote.bound.map(|(voter, _)| voter)))
        .fetch_all(&mut **transaction)
        .await?;
    let (mut standings, mut due) = (Standings::new(), Vec::new());
    for row in entered {
        let before =
            UtilityStanding { utility: Utility::stored(row.q), reviews: row.reviews, passes: row.passes };
        let standing =
            standings.entry(row.memory_id).or_insert(FoldCheckpoint { position: 0, value: before });
        *standing = FoldCheckpoint { position: row.seq, value: standing.value.after(row.reward, row.alpha) };
        if row.seq % EVERY == 0 {
            due.push((row.memory_id, *standing));
        }
    }
    if !due.is_empty() {
        checkpoints::insert(transaction, &due).await?;
    }
    settle_or_fault(transaction, &standings).await
}

/// Completes a review's entries and moves credits. Each entry is completed once.
pub(crate) async fn settle_credit(
    transaction: &mut ProjectTx,
    review: ReviewId,
    expected: f32,
    run_use: RunUse<'_>,
) -> Result<(), StoreError> {
    let open: Vec<Uncredited> = sqlx::query_as(include_str!("../../sql/ledger/uncredited.sql"))
        .bind(transaction.project)
        .bind(review)
        .fetch_all(&mut **transaction)
        .await?;
    if open.is_empty() {
        return Ok(());
    }
    let mut sent = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut due = Vec::new();
    let lessons: Vec<(MemoryId, LessonKeys)> = open
        .iter()
        .map(|entry| (entry.memory_id, LessonKeys { lesson: entry.lesson, text: entry.text }))
        .collect();
    let used = known_use(&lessons, run_use.used, run_use.compared);
    for (entry, used) in open.iter().zip(used) {
        let credit = Credit::stored(entry.credit, entry.evidence);
        let outcome =
            RunOutcome { reward: entry.reward, expected, alpha: entry.alpha, annealed: entry.annealed };
        let credit = credit_after_run(credit, used, outcome, entry.untrusted);
        sent.0.push(entry.memory_id);
        sent.1.push(used);
        sent.2.push(entry.credited + 1);
        sent.3.push(credit.value());
        sent.4.push(credit.evidence());
        let position = i64::from(entry.credited) + 1;
        if position % EVERY == 0 {
            due.push((entry.memory_id, FoldCheckpoint { position, value: credit }));
        }
    }
    checkpoints::insert(transaction, &due).await?;
    sqlx::query(include_str!("../../sql/ledger/settle_credit.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(expected)
        .bind(sent.0)
        .bind(sent.1)
        .bind(sent.2)
        .bind(sent.3)
        .bind(sent.4)
        .bind(run_use.by.map(UseSource::code))
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The votes within the daily limits. Locks the memories, so no other vote is counted in between.
async fn allowed(transaction: &mut ProjectTx, votes: Vec<Vote>) -> Result<Vec<Vote>, StoreError> {
    let voters: Vec<KeyId> = votes.iter().filter_map(|vote| Some(vote.bound?.0)).collect();
    if voters.is_empty() {
        return Ok(votes);
    }
    let memories: Vec<MemoryId> = votes.iter().map(|vote| vote.memory).collect();
    let held = sqlx::query(include_str!("../../sql/ledger/lock_memories.sql")).bind(transaction.project);
    held.bind(&memories).execute(&mut **transaction).await?;
    let counts: Vec<(KeyId, MemoryId, i64)> =
        sqlx::query_as(include_str!("../../sql/ledger/votes_today.sql"))
            .bind(transaction.project)
            .bind(voters)
            .bind(memories)
            .fetch_all(&mut **transaction)
            .await?;
    let counts = counts
        .into_iter()
        .map(|(key, memory, count)| ((key, memory), u32::try_from(count).unwrap_or(u32::MAX)));
    let sent = votes.len();
    let allowed = within_daily_limit(votes, counts.collect());
    metrics::counter!("reflect_votes_refused_total", "reason" => "day")
        .increment((sent - allowed.len()) as u64);
    Ok(allowed)
}

async fn settle_or_fault(transaction: &mut ProjectTx, standings: &Standings) -> Result<(), StoreError> {
    #[cfg(debug_assertions)]
    if let Some((StoreFault::UtilityOutsideTransaction, db)) = transaction.faulty.clone() {
        let standings = standings.clone();
        crate::faults::later(async move {
            let mut transaction = db.write().await?;
            settle(&mut transaction, &standings).await?;
            transaction.commit().await
        });
        return Ok(());
    }
    settle(transaction, standings).await
}

async fn settle(transaction: &mut ProjectTx, standings: &Standings) -> Result<(), StoreError> {
    if standings.is_empty() {
        return Ok(());
    }
    let all = || standings.values();
    sqlx::query(include_str!("../../sql/ledger/settle.sql"))
        .bind(transaction.project)
        .bind(standings.keys().copied().collect::<Vec<_>>())
        .bind(all().map(|standing| standing.value.utility.get()).collect::<Vec<_>>())
        .bind(all().map(|standing| standing.value.reviews).collect::<Vec<_>>())
        .bind(all().map(|standing| standing.value.passes).collect::<Vec<_>>())
        .bind(all().map(|standing| standing.position).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

fn all<T>(votes: &[Vote], part: impl Fn(&Vote) -> T) -> Vec<T> {
    votes.iter().map(part).collect()
}
