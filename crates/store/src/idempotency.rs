//! Answers that are given once and repeated after that.
//!
//! A key is taken in the same transaction as the effect it guards. So there is no moment at which
//! one of them exists without the other, and a primary key is all the locking there is.

use reflect_types::TraceId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::types::Json;
use sqlx::{Postgres, Transaction};

use crate::error::StoreError;
use crate::project_ctx::ProjectCtx;

/// A client's key for one call, and the digest of what it sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Chosen by the client, 1 to 255 characters.
    pub key: String,
    /// Tells a repeated call from another call under the same key.
    pub request_digest: [u8; 32],
}

impl Claim {
    /// The claim of one part of a call whose parts take effect one by one.
    #[must_use]
    pub fn part(&self, number: usize) -> Self {
        // Hashed, because the client's key may be as long as keys can be.
        let key = format!("{}/{number}", blake3::hash(self.key.as_bytes()));
        Self { key, request_digest: self.request_digest }
    }
}

/// Whether an answer is new or was given before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replay<T> {
    /// The answer.
    pub answer: T,
    /// True when nothing was done this time.
    pub replayed: bool,
}

impl<T> Replay<T> {
    pub(crate) const fn fresh(answer: T) -> Self {
        Self { answer, replayed: false }
    }
}

impl ProjectCtx {
    /// Takes the key for this transaction. An answer means that the call was made before, and that
    /// the transaction has nothing left to do.
    pub(crate) async fn claim<T: Serialize + DeserializeOwned>(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        claim: Option<&Claim>,
        known_answer: Option<&T>,
    ) -> Result<Option<T>, StoreError> {
        let Some(claim) = claim else { return Ok(None) };
        let known_answer = known_answer.map(serde_json::to_value).transpose().map_err(|_| UNREADABLE)?;
        let taken: Option<bool> = sqlx::query_scalar(include_str!("../sql/idempotency/claim.sql"))
            .bind(self.project)
            .bind(&claim.key)
            .bind(claim.request_digest)
            .bind(known_answer)
            .fetch_optional(&mut **transaction)
            .await?;
        if taken.is_some() {
            return Ok(None);
        }
        let earlier = self.earlier(transaction, claim).await?.ok_or(sqlx::Error::RowNotFound)?;
        let answer = earlier.ok_or(StoreError::SecretGone)?;
        Ok(Some(serde_json::from_value(answer).map_err(|_| UNREADABLE)?))
    }

    /// Takes the key of a call about a run's review. True when the call was made before, and the transaction has
    /// nothing left to do. It is answered with the run as it is by then, so no answer is kept.
    pub(crate) async fn claim_review(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        claim: Option<&Claim>,
        trace: TraceId,
    ) -> Result<bool, StoreError> {
        let Some(claim) = claim else { return Ok(false) };
        let taken: Option<bool> = sqlx::query_scalar(include_str!("../sql/idempotency/claim_review.sql"))
            .bind(self.project)
            .bind(&claim.key)
            .bind(claim.request_digest)
            .bind(trace)
            .fetch_optional(&mut **transaction)
            .await?;
        Ok(taken.is_none() && self.earlier(transaction, claim).await?.is_some())
    }

    /// Whether a call was made before.
    pub async fn is_repeat(&self, claim: Option<&Claim>) -> Result<bool, StoreError> {
        let Some(claim) = claim else { return Ok(false) };
        let mut transaction = self.read().await?;
        let earlier = self.earlier(&mut transaction, claim).await?;
        transaction.commit().await?;
        Ok(earlier.is_some())
    }

    /// What was answered under a key before, where that is kept; none when the key is free.
    async fn earlier(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        claim: &Claim,
    ) -> Result<Option<Option<serde_json::Value>>, StoreError> {
        let found: Option<(Vec<u8>, Option<serde_json::Value>)> =
            sqlx::query_as(include_str!("../sql/idempotency/find.sql"))
                .bind(self.project)
                .bind(&claim.key)
                .fetch_optional(&mut **transaction)
                .await?;
        match found {
            Some((request_digest, _)) if request_digest != claim.request_digest => Err(StoreError::KeyReused),
            found => Ok(found.map(|(_, answer)| answer)),
        }
    }

    /// Takes the keys of several calls, and says which of them were free.
    pub(crate) async fn claim_many<T: Serialize>(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        mut claims: Vec<(&Claim, T)>,
    ) -> Result<Vec<String>, StoreError> {
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        // In one order everywhere, so that two transactions never wait for each other.
        claims.sort_by(|(one, _), (other, _)| one.key.cmp(&other.key));
        let answers: Vec<Json<&T>> = claims.iter().map(|(_, answer)| Json(answer)).collect();
        let free = sqlx::query_scalar(include_str!("../sql/idempotency/claim_many.sql"))
            .bind(self.project)
            .bind(claims.iter().map(|(claim, _)| claim.key.as_str()).collect::<Vec<_>>())
            .bind(claims.iter().map(|(claim, _)| claim.request_digest.as_slice()).collect::<Vec<_>>())
            .bind(answers)
            .fetch_all(&mut **transaction)
            .await?;
        Ok(free)
    }

    /// Keeps the answer of a call that has just found out what it is.
    pub(crate) async fn remember<T: Serialize>(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        claim: Option<&Claim>,
        answer: &T,
    ) -> Result<(), StoreError> {
        let Some(claim) = claim else { return Ok(()) };
        sqlx::query(include_str!("../sql/idempotency/remember.sql"))
            .bind(self.project)
            .bind(&claim.key)
            .bind(serde_json::to_value(answer).map_err(|_| UNREADABLE)?)
            .execute(&mut **transaction)
            .await?;
        Ok(())
    }
}

const UNREADABLE: StoreError = StoreError::Corrupt { what: "answer" };
