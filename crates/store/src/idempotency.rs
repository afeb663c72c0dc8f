//! Idempotency: a repeated call gets the stored answer.
//!
//! A key is taken in the same transaction as its effect, so neither exists without the other. The primary key is the
//! only lock.

use reflect_types::TraceId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::types::Json;

use crate::db::ProjectTx;
use crate::error::StoreError;

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

/// An answer, and whether it is a repeated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replay<T> {
    /// The answer.
    pub answer: T,
    /// True if the call changed nothing this time.
    pub replayed: bool,
}

impl<T> Replay<T> {
    pub(crate) const fn fresh(answer: T) -> Self {
        Self { answer, replayed: false }
    }
}

/// Takes the key in this transaction. If the call was made before, returns its answer, and the transaction has
/// nothing left to do but to commit (`ProjectTx::repeat`).
pub(crate) async fn claim<T: Serialize + DeserializeOwned>(
    transaction: &mut ProjectTx,
    claim: Option<&Claim>,
    known_answer: Option<&T>,
) -> Result<Option<T>, StoreError> {
    let Some(claim) = claim else { return Ok(None) };
    let known_answer = known_answer.map(serde_json::to_value).transpose().map_err(|_| UNREADABLE)?;
    let taken: Option<bool> = sqlx::query_scalar(include_str!("../sql/idempotency/claim.sql"))
        .bind(transaction.project)
        .bind(&claim.key)
        .bind(claim.request_digest)
        .bind(known_answer)
        .fetch_optional(&mut **transaction)
        .await?;
    if taken.is_some() {
        return Ok(None);
    }
    let earlier = earlier(transaction, claim).await?.ok_or(sqlx::Error::RowNotFound)?;
    let answer = earlier.ok_or(StoreError::SecretGone)?;
    Ok(Some(serde_json::from_value(answer).map_err(|_| UNREADABLE)?))
}

/// Takes the key of a review call. Returns true if the call was made before. Such a call is answered with the current
/// run, so no answer is stored.
pub(crate) async fn claim_review(
    transaction: &mut ProjectTx,
    claim: Option<&Claim>,
    trace: TraceId,
) -> Result<bool, StoreError> {
    let Some(claim) = claim else { return Ok(false) };
    let taken: Option<bool> = sqlx::query_scalar(include_str!("../sql/idempotency/claim_review.sql"))
        .bind(transaction.project)
        .bind(&claim.key)
        .bind(claim.request_digest)
        .bind(trace)
        .fetch_optional(&mut **transaction)
        .await?;
    Ok(taken.is_none() && earlier(transaction, claim).await?.is_some())
}

/// Whether a call was made before.
pub(crate) async fn is_repeat(transaction: &mut ProjectTx, claim: &Claim) -> Result<bool, StoreError> {
    Ok(earlier(transaction, claim).await?.is_some())
}

/// The stored answer of a key, if the answer is stored. `None` if the key is free.
async fn earlier(
    transaction: &mut ProjectTx,
    claim: &Claim,
) -> Result<Option<Option<serde_json::Value>>, StoreError> {
    let found: Option<(Vec<u8>, Option<serde_json::Value>)> =
        sqlx::query_as(include_str!("../sql/idempotency/find.sql"))
            .bind(transaction.project)
            .bind(&claim.key)
            .fetch_optional(&mut **transaction)
            .await?;
    match found {
        Some((request_digest, _)) if request_digest != claim.request_digest => Err(StoreError::KeyReused),
        found => Ok(found.map(|(_, answer)| answer)),
    }
}

/// Takes the keys of several calls and returns those that were free.
pub(crate) async fn claim_many<T: Serialize>(
    transaction: &mut ProjectTx,
    mut claims: Vec<(&Claim, T)>,
) -> Result<Vec<String>, StoreError> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    // The same order in every transaction prevents deadlocks.
    claims.sort_by(|(one, _), (other, _)| one.key.cmp(&other.key));
    let answers: Vec<Json<&T>> = claims.iter().map(|(_, answer)| Json(answer)).collect();
    let free = sqlx::query_scalar(include_str!("../sql/idempotency/claim_many.sql"))
        .bind(transaction.project)
        .bind(claims.iter().map(|(claim, _)| claim.key.as_str()).collect::<Vec<_>>())
        .bind(claims.iter().map(|(claim, _)| claim.request_digest.as_slice()).collect::<Vec<_>>())
        .bind(answers)
        .fetch_all(&mut **transaction)
        .await?;
    Ok(free)
}

/// Stores the answer of a call whose key was taken before the answer was known.
pub(crate) async fn save_answer<T: Serialize>(
    transaction: &mut ProjectTx,
    claim: Option<&Claim>,
    answer: &T,
) -> Result<(), StoreError> {
    let Some(claim) = claim else { return Ok(()) };
    sqlx::query(include_str!("../sql/idempotency/save_answer.sql"))
        .bind(transaction.project)
        .bind(&claim.key)
        .bind(serde_json::to_value(answer).map_err(|_| UNREADABLE)?)
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

const UNREADABLE: StoreError = StoreError::Corrupt { what: "answer" };
