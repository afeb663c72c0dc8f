//! Answers that are given once and repeated after that.
//!
//! A key is taken in the same transaction as the effect it guards. So there is no moment at which
//! one of them exists without the other, and a primary key is all the locking there is.

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
        let (request_digest, answer): (Vec<u8>, Option<serde_json::Value>) =
            sqlx::query_as(include_str!("../sql/idempotency/find.sql"))
                .bind(self.project)
                .bind(&claim.key)
                .fetch_one(&mut **transaction)
                .await?;
        if request_digest != claim.request_digest {
            return Err(StoreError::KeyReused);
        }
        let answer = answer.ok_or(StoreError::SecretGone)?;
        Ok(Some(serde_json::from_value(answer).map_err(|_| UNREADABLE)?))
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
