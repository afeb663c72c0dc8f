//! AES-256-GCM with random nonces: the nonce, then the encrypted bytes, then the tag.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};

/// The bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;

/// A value that cannot be encrypted or decrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The value is encrypted, and the process was started without the encryption key.
    #[error("the value is encrypted, and this process has no encryption key: set --encryption-key-file")]
    NoKey,
    /// The value was changed, was copied from another row, or was encrypted with another key.
    #[error("the value is damaged, or belongs to another row or key")]
    Damaged,
    /// The system gave no random bytes, or the value is too long.
    #[error("the value cannot be encrypted")]
    NotSealed,
}

/// Random bytes of a new key.
pub(crate) fn random_key() -> Result<[u8; KEY_BYTES], SealError> {
    let mut key = [0; KEY_BYTES];
    SystemRandom::new().fill(&mut key).map_err(|_| SealError::NotSealed)?;
    Ok(key)
}

/// One key. `context` names what a value belongs to: the value can only be decrypted in the same context.
pub(crate) struct Cipher(LessSafeKey);

impl Cipher {
    pub(crate) fn new(key: &[u8; KEY_BYTES]) -> Result<Self, SealError> {
        let key = UnboundKey::new(&AES_256_GCM, key).map_err(|_| SealError::NotSealed)?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// `header`, followed by the encrypted bytes.
    pub(crate) fn seal(&self, context: &str, header: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| SealError::NotSealed)?;
        let start = header.len() + NONCE_LEN;
        let mut sealed = Vec::with_capacity(start + plain.len() + MAX_TAG_LEN);
        sealed.extend_from_slice(header);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let (nonce, context) = (Nonce::assume_unique_for_key(nonce), Aad::from(context.as_bytes()));
        let tag = self.0.seal_in_place_separate_tag(nonce, context, &mut sealed[start..]);
        sealed.extend_from_slice(tag.map_err(|_| SealError::NotSealed)?.as_ref());
        Ok(sealed)
    }

    /// The plain bytes. `sealed` is without the header.
    pub(crate) fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(SealError::Damaged)?;
        let mut bytes = sealed.to_vec();
        let (nonce, context) = (Nonce::assume_unique_for_key(*nonce), Aad::from(context.as_bytes()));
        let opened = self.0.open_in_place(nonce, context, &mut bytes).map_err(|_| SealError::Damaged)?;
        let length = opened.len();
        bytes.truncate(length);
        Ok(bytes)
    }
}
