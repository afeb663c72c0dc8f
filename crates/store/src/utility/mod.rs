//! The ledger of utility, and where utilities and credits stand because of it.
//!
//! A review enters the ledger and moves utilities in its own transaction. When its run has been reflected
//! on, its entries are completed with what was used and what was to be expected, and move credits.

mod fold;
mod votes;

use std::collections::BTreeMap;

use reflect_types::{Credit, MemoryId, ReviewId, Utility};
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::learning::Reviewed;
use crate::project_ctx::ProjectCtx;
pub use fold::Share;
pub(crate) use fold::{CareStep, Entry, MovedBy, PlacedStep, Standing, fold, walk_credit, walk_utility};
use fold::{Worth, credited_by};
use votes::{Vote, votes};

type Standings = BTreeMap<MemoryId, Standing>;

/// An entry that has not moved its memory's credit yet, and where that stands.
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
}

impl ProjectCtx {
    /// Enters reviews into the ledger and moves what they move, in the reviews' own transaction.
    pub(crate) async fn enter_reviews(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        reviewed: &[Reviewed<'_>],
    ) -> Result<(), StoreError> {
        let votes = self.allowed(transaction, votes(reviewed)).await?;
        if votes.is_empty() {
            return Ok(());
        }
        let entered: Vec<(MemoryId, f32, f32, f32, i32, i32)> =
            sqlx::query_as(include_str!("../../sql/utility/enter.sql"))
                .bind(self.project)
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
            let standing =
                standings.entry(memory).or_insert(Standing { utility: Utility::stored(q), reviews, passes });
            *standing = standing.after(reward, alpha);
        }
        self.settle_or_fault(transaction, &standings).await
    }

    /// Completes a review's entries and moves credits. Each entry is completed once.
    pub(crate) async fn settle_credit(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        review: ReviewId,
        expected: f32,
        used: Option<&[MemoryId]>,
    ) -> Result<(), StoreError> {
        let open: Vec<Uncredited> = sqlx::query_as(include_str!("../../sql/utility/uncredited.sql"))
            .bind(self.project)
            .bind(review)
            .fetch_all(&mut **transaction)
            .await?;
        if open.is_empty() {
            return Ok(());
        }
        let mut sent = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for entry in open {
            let used = used.map(|used| used.contains(&entry.memory_id));
            let credit = Credit::stored(entry.credit, entry.evidence);
            let worth =
                Worth { reward: entry.reward, expected, alpha: entry.alpha, annealed: entry.annealed };
            let credit = credited_by(credit, used, worth, entry.untrusted);
            sent.0.push(entry.memory_id);
            sent.1.push(used);
            sent.2.push(entry.credited + 1);
            sent.3.push(credit.value());
            sent.4.push(credit.evidence());
        }
        sqlx::query(include_str!("../../sql/utility/settle_credit.sql"))
            .bind(self.project)
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

    /// Takes a review out of account: what it moved is folded anew without it, because steps towards a
    /// reward do not commute and cannot be taken back one by one.
    pub(crate) async fn discredit(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        review: ReviewId,
    ) -> Result<(), StoreError> {
        let moved: Vec<MemoryId> = sqlx::query_scalar(include_str!("../../sql/utility/lock.sql"))
            .bind(self.project)
            .bind(review)
            .fetch_all(&mut **transaction)
            .await?;
        if moved.is_empty() {
            return Ok(());
        }
        let withdrawn =
            sqlx::query(include_str!("../../sql/utility/withdraw.sql")).bind(self.project).bind(review);
        withdrawn.execute(&mut **transaction).await?;
        self.refold(transaction, &moved).await
    }

    /// Folds memories anew from the start of the ledger. Whoever asks for it holds them.
    pub(crate) async fn refold(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<(), StoreError> {
        let ledger = self.ledger(transaction, memories).await?;
        let steps = self.care_steps(transaction, memories).await?;
        let standings = fold(&ledger, &steps, memories);
        let all = || standings.values();
        sqlx::query(include_str!("../../sql/utility/refold.sql"))
            .bind(self.project)
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
    pub(crate) async fn ledger(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        memories: &[MemoryId],
    ) -> Result<Vec<Entry>, StoreError> {
        let ledger = sqlx::query_as(include_str!("../../sql/utility/ledger.sql"));
        Ok(ledger.bind(self.project).bind(memories).fetch_all(&mut **transaction).await?)
    }

    async fn settle_or_fault(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        standings: &Standings,
    ) -> Result<(), StoreError> {
        #[cfg(feature = "faults")]
        if self.fault == Some(crate::Fault::UtilityOutsideTransaction) {
            let (project, standings) = (self.clone(), standings.clone());
            crate::faults::later(async move {
                let mut transaction = project.write().await?;
                project.settle(&mut transaction, &standings).await?;
                Ok(transaction.commit().await?)
            });
            return Ok(());
        }
        self.settle(transaction, standings).await
    }

    async fn settle(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        standings: &Standings,
    ) -> Result<(), StoreError> {
        if standings.is_empty() {
            return Ok(());
        }
        sqlx::query(include_str!("../../sql/utility/settle.sql"))
            .bind(self.project)
            .bind(standings.keys().copied().collect::<Vec<_>>())
            .bind(standings.values().map(|standing| standing.utility.get()).collect::<Vec<_>>())
            .bind(standings.values().map(|standing| standing.reviews).collect::<Vec<_>>())
            .bind(standings.values().map(|standing| standing.passes).collect::<Vec<_>>())
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }
}

fn all<T>(votes: &[Vote], part: impl Fn(&Vote) -> T) -> Vec<T> {
    votes.iter().map(part).collect()
}
