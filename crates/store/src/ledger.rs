//! The ledger: which review moved which memory, and the utilities and credits that follow from it.
//!
//! A review enters the ledger and moves utilities in its own transaction. After the reflection on its run, its entries
//! are completed with the used memories and the expected result, and move credits.

use std::collections::BTreeMap;

use reflect_rules::credit::{
    CurationStep, LedgerEntry, PlacedStep, RunOutcome, UtilityStanding, credit_after_run, fold, used_memories,
};
use reflect_rules::votes::{Vote, within_daily_limit};
use reflect_types::{Credit, KeyId, MemoryId, ReviewId, Utility};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};
use uuid::Uuid;

#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::ProjectTx;
use crate::error::StoreError;

/// Facets of the curation ledger that change utility or credit, as they are stored.
pub(crate) const HALVED: i16 = 4;
pub(crate) const POOLED: i16 = 5;

type Standings = BTreeMap<MemoryId, UtilityStanding>;

/// A ledger entry as a row.
pub(crate) struct LedgerRow(pub(crate) LedgerEntry);

impl FromRow<'_, PgRow> for LedgerRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self(LedgerEntry {
            memory_id: row.try_get("memory_id")?,
            seq: row.try_get("seq")?,
            reward: row.try_get("reward")?,
            alpha: row.try_get("alpha")?,
            annealed: row.try_get("annealed")?,
            used: row.try_get("used")?,
            expected: row.try_get("expected")?,
            credited: row.try_get("credited")?,
            untrusted: row.try_get("untrusted")?,
        }))
    }
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
    lesson_digest: Option<Uuid>,
}

/// Enters votes into the ledger and moves utilities, in the transaction of the reviews.
pub(crate) async fn enter(transaction: &mut ProjectTx, votes: Vec<Vote>) -> Result<(), StoreError> {
    let votes = allowed(transaction, votes).await?;
    if votes.is_empty() {
        return Ok(());
    }
    let entered: Vec<(MemoryId, f32, f32, f32, i32, i32)> =
        sqlx::query_as(include_str!("../sql/ledger/enter.sql"))
            .bind(transaction.project)
            .bind(all(&votes, |vote| vote.review))
            .bind(all(&votes, |vote| vote.memory))
            .bind(all(&votes, |vote| vote.reward))
            .bind(all(&votes, |vote| vote.alpha))
            .bind(all(&votes, |vote| vote.annealed))
            .bind(all(&votes, |vote| vote.bound.map(|(voter, _)| voter)))
            .fetch_all(&mut **transaction)
            .await?;
    let mut standings = Standings::new();
    for (memory, reward, alpha, q, reviews, passes) in entered {
        let standing = standings.entry(memory).or_insert(UtilityStanding {
            utility: Utility::stored(q),
            reviews,
            passes,
        });
        *standing = standing.after(reward, alpha);
    }
    settle_or_fault(transaction, &standings).await
}

/// Completes a review's entries and moves credits. Each entry is completed once.
pub(crate) async fn settle_credit(
    transaction: &mut ProjectTx,
    review: ReviewId,
    expected: f32,
    used: Option<&[MemoryId]>,
) -> Result<(), StoreError> {
    let open: Vec<Uncredited> = sqlx::query_as(include_str!("../sql/ledger/uncredited.sql"))
        .bind(transaction.project)
        .bind(review)
        .fetch_all(&mut **transaction)
        .await?;
    if open.is_empty() {
        return Ok(());
    }
    let mut sent = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let lessons: Vec<_> = open.iter().map(|entry| (entry.memory_id, entry.lesson_digest)).collect();
    let used = used.map(|named| used_memories(&lessons, named));
    for entry in &open {
        let used = used.as_ref().map(|used| used.contains(&entry.memory_id));
        let credit = Credit::stored(entry.credit, entry.evidence);
        let outcome =
            RunOutcome { reward: entry.reward, expected, alpha: entry.alpha, annealed: entry.annealed };
        let credit = credit_after_run(credit, used, outcome, entry.untrusted);
        sent.0.push(entry.memory_id);
        sent.1.push(used);
        sent.2.push(entry.credited + 1);
        sent.3.push(credit.value());
        sent.4.push(credit.evidence());
    }
    sqlx::query(include_str!("../sql/ledger/settle_credit.sql"))
        .bind(transaction.project)
        .bind(review)
        .bind(expected)
        .bind(sent.0)
        .bind(sent.1)
        .bind(sent.2)
        .bind(sent.3)
        .bind(sent.4)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Withdraws a review. The memories that it moved are folded again without it, because the updates do not commute and
/// cannot be reverted one by one.
pub(crate) async fn withdraw(transaction: &mut ProjectTx, review: ReviewId) -> Result<(), StoreError> {
    let moved: Vec<MemoryId> = sqlx::query_scalar(include_str!("../sql/ledger/lock_of_review.sql"))
        .bind(transaction.project)
        .bind(review)
        .fetch_all(&mut **transaction)
        .await?;
    if moved.is_empty() {
        return Ok(());
    }
    let withdrawn =
        sqlx::query(include_str!("../sql/ledger/withdraw.sql")).bind(transaction.project).bind(review);
    withdrawn.execute(&mut **transaction).await?;
    refold(transaction, &moved).await
}

/// Folds memories again from the start of the ledger. The caller holds their locks.
pub(crate) async fn refold(transaction: &mut ProjectTx, memories: &[MemoryId]) -> Result<(), StoreError> {
    let entries = entries(transaction, memories).await?;
    let steps = curation_steps(transaction, memories).await?;
    let standings = fold(&entries, &steps, memories);
    let all = || standings.values();
    sqlx::query(include_str!("../sql/ledger/refold.sql"))
        .bind(transaction.project)
        .bind(standings.keys().copied().collect::<Vec<_>>())
        .bind(all().map(|(standing, _)| standing.utility.get()).collect::<Vec<_>>())
        .bind(all().map(|(standing, _)| standing.reviews).collect::<Vec<_>>())
        .bind(all().map(|(standing, _)| standing.passes).collect::<Vec<_>>())
        .bind(all().map(|(_, credit)| credit.value()).collect::<Vec<_>>())
        .bind(all().map(|(_, credit)| credit.evidence()).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// What moved these memories, in order.
pub(crate) async fn entries(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<LedgerEntry>, StoreError> {
    let rows = sqlx::query_as(include_str!("../sql/ledger/ledger.sql"));
    let rows: Vec<LedgerRow> =
        rows.bind(transaction.project).bind(memories).fetch_all(&mut **transaction).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The curation steps that changed utility or credit of memories.
pub(crate) async fn curation_steps(
    transaction: &mut ProjectTx,
    memories: &[MemoryId],
) -> Result<Vec<PlacedStep>, StoreError> {
    let rows: Vec<(MemoryId, i64, i16, Value, i64, i32)> =
        sqlx::query_as(include_str!("../sql/curation/steps.sql"))
            .bind(transaction.project)
            .bind(memories)
            .fetch_all(&mut **transaction)
            .await?;
    let placed = rows.into_iter().map(|(memory_id, seq, facet, after, entered, credited)| {
        let step = curation_step(facet, after)?.ok_or(StoreError::Corrupt { what: "curation step" })?;
        Ok(PlacedStep { memory_id, seq, entered, credited, step })
    });
    placed.collect()
}

/// The step behind a stored facet. `None` if the facet moves neither utility nor credit.
pub(crate) fn curation_step(facet: i16, after: Value) -> Result<Option<CurationStep>, StoreError> {
    match facet {
        HALVED => Ok(Some(CurationStep::Halved)),
        POOLED => {
            let shares = serde_json::from_value(after).map_err(|_| StoreError::Corrupt { what: "merge" })?;
            Ok(Some(CurationStep::Pooled(shares)))
        }
        _ => Ok(None),
    }
}

/// The votes within the daily limits. Locks the memories, so no other vote is counted in between.
async fn allowed(transaction: &mut ProjectTx, votes: Vec<Vote>) -> Result<Vec<Vote>, StoreError> {
    let voters: Vec<KeyId> = votes.iter().filter_map(|vote| Some(vote.bound?.0)).collect();
    if voters.is_empty() {
        return Ok(votes);
    }
    let memories: Vec<MemoryId> = votes.iter().map(|vote| vote.memory).collect();
    let held = sqlx::query(include_str!("../sql/ledger/lock_memories.sql")).bind(transaction.project);
    held.bind(&memories).execute(&mut **transaction).await?;
    let counts: Vec<(KeyId, MemoryId, i64)> = sqlx::query_as(include_str!("../sql/ledger/votes_today.sql"))
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
    sqlx::query(include_str!("../sql/ledger/settle.sql"))
        .bind(transaction.project)
        .bind(standings.keys().copied().collect::<Vec<_>>())
        .bind(standings.values().map(|standing| standing.utility.get()).collect::<Vec<_>>())
        .bind(standings.values().map(|standing| standing.reviews).collect::<Vec<_>>())
        .bind(standings.values().map(|standing| standing.passes).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

fn all<T>(votes: &[Vote], part: impl Fn(&Vote) -> T) -> Vec<T> {
    votes.iter().map(part).collect()
}
