//! The ledger of utility, and where utilities stand because of it.

use std::collections::BTreeMap;

use reflect_types::{MemoryId, RetrievalId, ReviewId, ReviewResult, Utility};
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;
use crate::reviews::NewReview;

/// A review and what its run was shown.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) review: &'a NewReview,
    /// Memories by name. May hold doubles, strangers and ids of memories that never were.
    pub(crate) memories: Vec<MemoryId>,
    /// A receipt, which knows them too.
    pub(crate) retrieval: Option<RetrievalId>,
}

/// Where one memory stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Standing {
    utility: Utility,
    reviews: i32,
    passes: i32,
}

impl Standing {
    const START: Self = Self { utility: Utility::START, reviews: 0, passes: 0 };

    fn after(self, reward: f32, alpha: f32) -> Self {
        Self {
            utility: self.utility.after(reward, alpha),
            reviews: self.reviews + 1,
            passes: self.passes + i32::from(reward >= 0.5),
        }
    }
}

type Standings = BTreeMap<MemoryId, Standing>;

impl ProjectCtx {
    /// Enters reviews into the ledger and moves what they move, in the reviews' own transaction.
    pub(crate) async fn credit(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        shown: &[Shown<'_>],
    ) -> Result<(), StoreError> {
        let served = self.served(transaction, shown).await?;
        let mut sent = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Shown { review, memories, retrieval } in shown {
            let served = retrieval.and_then(|receipt| served.get(&receipt)).into_iter().flatten();
            for memory in memories.iter().chain(served) {
                sent.0.push(review.review_id);
                sent.1.push(*memory);
                sent.2.push(reward(review.result));
                sent.3.push(review.alpha.get());
            }
        }
        if sent.1.is_empty() {
            return Ok(());
        }
        let entered: Vec<(MemoryId, f32, f32, f32, i32, i32)> =
            sqlx::query_as(include_str!("../sql/utility/credit.sql"))
                .bind(self.project)
                .bind(sent.0)
                .bind(sent.1)
                .bind(sent.2)
                .bind(sent.3)
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

    /// What went out under the receipts that these runs name.
    async fn served(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        shown: &[Shown<'_>],
    ) -> Result<BTreeMap<RetrievalId, Vec<MemoryId>>, StoreError> {
        let receipts: Vec<RetrievalId> = shown.iter().filter_map(|shown| shown.retrieval).collect();
        if receipts.is_empty() {
            return Ok(BTreeMap::new());
        }
        let served: Vec<(RetrievalId, Vec<MemoryId>)> =
            sqlx::query_as(include_str!("../sql/utility/served.sql"))
                .bind(self.project)
                .bind(receipts)
                .fetch_all(&mut **transaction)
                .await?;
        Ok(served.into_iter().collect())
    }

    /// Takes a review out of account: what it moved is folded anew without it, because steps towards a
    /// reward do not commute and cannot be taken back one by one.
    pub(crate) async fn discredit(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        review: ReviewId,
    ) -> Result<(), StoreError> {
        let moved: Vec<MemoryId> = sqlx::query_scalar(include_str!("../sql/utility/lock.sql"))
            .bind(self.project)
            .bind(review)
            .fetch_all(&mut **transaction)
            .await?;
        if moved.is_empty() {
            return Ok(());
        }
        let withdrawn =
            sqlx::query(include_str!("../sql/utility/withdraw.sql")).bind(self.project).bind(review);
        withdrawn.execute(&mut **transaction).await?;
        let ledger: Vec<(MemoryId, f32, f32)> = sqlx::query_as(include_str!("../sql/utility/ledger.sql"))
            .bind(self.project)
            .bind(&moved)
            .fetch_all(&mut **transaction)
            .await?;
        let mut standings: Standings = moved.into_iter().map(|memory| (memory, Standing::START)).collect();
        for (memory, reward, alpha) in ledger {
            if let Some(standing) = standings.get_mut(&memory) {
                *standing = standing.after(reward, alpha);
            }
        }
        self.settle(transaction, &standings).await
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
        sqlx::query(include_str!("../sql/utility/settle.sql"))
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

/// What a verdict is worth.
const fn reward(result: ReviewResult) -> f32 {
    match result {
        ReviewResult::Pass => 1.0,
        ReviewResult::Fail => 0.0,
    }
}
