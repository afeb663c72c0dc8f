//! Feedback tokens: each allows votes on one run, so that no key reaches a browser.
//!
//! A token is sealed with a secret of the installation: nothing in it can be read or changed, and a token of another origin is
//! refused without a query. The token of a run is not stored; its project, its key and its expiry are part of it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reflect_store::{FeedbackSecret, Store, StoreError};
use reflect_types::{KeyId, ProjectId, TraceId, Trust};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::hex;

const PREFIX: &str = "rff_";
/// Random, and different for every token: each has a key of its own, so the nonce may be constant.
const SALT: usize = 16;
const PURPOSE: &[&[u8]] = &[b"reflect feedback token 1"];
/// Project, run, key, trust, whether it may review, expiry.
const CONTENT: usize = 4 + 16 + 16 + 2 + 1 + 8;

/// What a feedback token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FeedbackGrant {
    /// The project of the run.
    pub(crate) project: ProjectId,
    /// The run.
    pub(crate) trace: TraceId,
    /// The key for which it was issued.
    pub(crate) key_id: KeyId,
    /// The trust of that key.
    pub(crate) trust: Trust,
    /// Whether that key may review, or send signals about, runs that it did not send.
    pub(crate) may_review: bool,
    /// When it expires, in seconds since 1970.
    pub(crate) expires_at: u64,
}

/// A feedback token that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenedToken {
    pub(crate) grant: FeedbackGrant,
    pub(crate) digest: [u8; 32],
}

impl OpenedToken {
    /// Tells tokens apart.
    pub const fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

/// Why a feedback token is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum FeedbackTokenError {
    /// It was not issued by this installation, or was changed.
    #[error(
        "the feedback token is not valid; issue one for the run with POST …/traces/{{trace_id}}/feedback-token"
    )]
    Unknown,
    /// It has expired.
    #[error("the feedback token has expired; issue a new one for the run")]
    Expired,
    /// The key that issued it was revoked.
    #[error(
        "the key that issued the feedback token was revoked; issue a new one for the run with another key"
    )]
    Revoked,
    /// Its vote has changed too often.
    #[error("the vote of this feedback token has changed too often; the last one counts")]
    UsedUp,
    /// The secret could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Issues and opens feedback tokens.
#[derive(Clone)]
pub(crate) struct FeedbackTokens {
    store: Store,
    secret: Arc<OnceCell<FeedbackSecret>>,
}

impl fmt::Debug for FeedbackTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedbackTokens").finish_non_exhaustive()
    }
}

impl FeedbackTokens {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, secret: Arc::default() }
    }

    /// A new token.
    pub(crate) async fn issue(&self, grant: FeedbackGrant) -> Result<String, StoreError> {
        seal(&self.secret().await?, rand::random(), grant)
            .ok_or(StoreError::Corrupt { what: "feedback secret" })
    }

    /// What a token allows. The secret is read once; after that, a token is checked without the database.
    pub(crate) async fn open(&self, token: &str, now: SystemTime) -> Result<OpenedToken, FeedbackTokenError> {
        let bytes = token.strip_prefix(PREFIX).and_then(hex::decode).ok_or(FeedbackTokenError::Unknown)?;
        let secret = self.secret().await?;
        let grant = unseal(&secret, &bytes).ok_or(FeedbackTokenError::Unknown)?;
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        if grant.expires_at <= now.as_secs() {
            return Err(FeedbackTokenError::Expired);
        }
        Ok(OpenedToken { grant, digest: Sha256::digest(&bytes).into() })
    }

    async fn secret(&self) -> Result<FeedbackSecret, StoreError> {
        let read = self.secret.get_or_try_init(|| async { self.store.catalogue().feedback_secret().await });
        read.await.copied()
    }
}

fn seal(secret: &FeedbackSecret, salt: [u8; SALT], grant: FeedbackGrant) -> Option<String> {
    let mut content = Vec::with_capacity(CONTENT + AES_256_GCM.tag_len());
    content.extend_from_slice(&grant.project.number().to_be_bytes());
    content.extend_from_slice(grant.trace.as_uuid().as_bytes());
    content.extend_from_slice(grant.key_id.as_uuid().as_bytes());
    content.extend_from_slice(&grant.trust.code().to_be_bytes());
    content.push(u8::from(grant.may_review));
    content.extend_from_slice(&grant.expires_at.to_be_bytes());
    key(secret, &salt)?.seal_in_place_append_tag(nonce(), Aad::empty(), &mut content).ok()?;
    Some(format!("{PREFIX}{}{}", hex::encode(&salt), hex::encode(&content)))
}

fn unseal(secret: &FeedbackSecret, bytes: &[u8]) -> Option<FeedbackGrant> {
    let (salt, sealed) = bytes.split_first_chunk::<SALT>()?;
    let mut sealed = sealed.to_vec();
    let content = key(secret, salt)?.open_in_place(nonce(), Aad::empty(), &mut sealed).ok()?;
    let (project, rest) = content.split_first_chunk::<4>()?;
    let (trace, rest) = rest.split_first_chunk::<16>()?;
    let (key_id, rest) = rest.split_first_chunk::<16>()?;
    let (trust, rest) = rest.split_first_chunk::<2>()?;
    let (may_review, rest) = rest.split_first()?;
    Some(FeedbackGrant {
        project: ProjectId::new(i32::from_be_bytes(*project)),
        trace: TraceId::from_uuid(Uuid::from_bytes(*trace)),
        key_id: KeyId::from_uuid(Uuid::from_bytes(*key_id)),
        trust: Trust::from_code(i16::from_be_bytes(*trust))?,
        may_review: *may_review == 1,
        expires_at: u64::from_be_bytes(rest.try_into().ok()?),
    })
}

fn key(secret: &FeedbackSecret, salt: &[u8]) -> Option<LessSafeKey> {
    let extracted = Salt::new(HKDF_SHA256, salt).extract(&secret.0);
    let expanded = extracted.expand(PURPOSE, &AES_256_GCM).ok()?;
    Some(LessSafeKey::new(UnboundKey::from(expanded)))
}

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: FeedbackSecret = FeedbackSecret([7; 32]);

    fn grant() -> FeedbackGrant {
        FeedbackGrant {
            project: ProjectId::new(3),
            trace: TraceId::generate(),
            key_id: KeyId::generate(),
            trust: Trust::Normal,
            may_review: false,
            expires_at: 1_800_000_000,
        }
    }

    fn bytes(token: &str) -> Vec<u8> {
        hex::decode(token.strip_prefix(PREFIX).unwrap()).unwrap()
    }

    #[test]
    fn a_token_says_what_it_allows_and_only_to_its_installation() {
        let grant = grant();
        let token = seal(&SECRET, [1; SALT], grant).unwrap();
        assert_eq!(unseal(&SECRET, &bytes(&token)), Some(grant));
        assert_eq!(unseal(&FeedbackSecret([8; 32]), &bytes(&token)), None);
        assert!(
            !token.contains(&hex::encode(grant.trace.as_uuid().as_bytes())),
            "its content cannot be read"
        );
    }

    #[test]
    fn no_bit_of_a_token_can_be_changed() {
        let token = bytes(&seal(&SECRET, [1; SALT], grant()).unwrap());
        for at in 0..token.len() {
            let mut changed = token.clone();
            changed[at] ^= 1;
            assert_eq!(unseal(&SECRET, &changed), None, "byte {at}");
        }
        assert_eq!(unseal(&SECRET, &token[..token.len() - 1]), None);
        assert_eq!(unseal(&SECRET, &[]), None);
    }

    #[test]
    fn a_token_has_one_spelling() {
        assert_eq!(hex::decode("0f"), Some(vec![15]));
        for other in ["0F", "+f", "f", "0é"] {
            assert_eq!(hex::decode(other), None, "{other}");
        }
    }

    #[test]
    fn two_tokens_of_one_run_differ() {
        let grant = grant();
        assert_ne!(seal(&SECRET, rand::random(), grant), seal(&SECRET, rand::random(), grant));
    }
}
