//! The keys outside of the database. They wrap the data keys of projects.

use std::fmt;
use std::sync::Arc;

use reflect_types::ProjectId;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::cipher::{Cipher, KEY_BYTES, SealError, random_key};
use crate::hex::{from_hex, to_hex};

const PREFIX: &str = "reflect-encryption-key-1:";
/// Enough to tell keys apart.
const ID_BYTES: usize = 8;
/// The format of a wrapped key.
const VERSION: u8 = 1;

/// A text that is not a list of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncryptionKeyError {
    /// A line is not a key.
    #[error("line {line} is not an encryption key; create one with `reflect encryption key`")]
    NotAKey {
        /// The number of the line, from 1.
        line: usize,
    },
    /// There is no key.
    #[error("there is no encryption key; create one with `reflect encryption key`")]
    Empty,
    /// The system gave no random bytes.
    #[error("the system's random number generator failed")]
    NoRandomness,
}

/// The keys outside of the database, one per line. The first one wraps, all of them unwrap.
#[derive(Clone)]
pub struct EncryptionKeys(Arc<Vec<WrappingKey>>);

struct WrappingKey {
    id: String,
    cipher: Cipher,
}

/// A data key as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(crate) struct WrappedKey {
    pub(crate) key_id: String,
    pub(crate) wrapped: Vec<u8>,
}

/// Without the secrets.
impl fmt::Debug for EncryptionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EncryptionKeys").field(&self.ids()).finish()
    }
}

impl EncryptionKeys {
    /// A line with a new key.
    pub fn generate() -> Result<SecretString, EncryptionKeyError> {
        let key = random_key().map_err(|_| EncryptionKeyError::NoRandomness)?;
        Ok(format!("{PREFIX}{}\n", to_hex(&key)).into())
    }

    /// Reads keys, one per line. Empty lines and lines that start with # are skipped. Errors do not show the text.
    pub fn parse(text: &SecretString) -> Result<Self, EncryptionKeyError> {
        let lines = text.expose_secret().lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let keys: Result<Vec<WrappingKey>, EncryptionKeyError> = lines
            .map(|(at, line)| wrapping_key(line).ok_or(EncryptionKeyError::NotAKey { line: at + 1 }))
            .collect();
        match keys? {
            keys if keys.is_empty() => Err(EncryptionKeyError::Empty),
            keys => Ok(Self(Arc::new(keys))),
        }
    }

    /// The names of the keys, which say nothing about their content. The first one is used for new data keys.
    pub fn ids(&self) -> Vec<&str> {
        self.0.iter().map(|key| key.id.as_str()).collect()
    }

    /// Encrypts a data key with the first key.
    pub(crate) fn wrap_key(
        &self,
        project: ProjectId,
        data_key: &[u8; KEY_BYTES],
    ) -> Result<WrappedKey, SealError> {
        let first = self.0.first().ok_or(SealError::NoKey)?;
        let wrapped = first.cipher.seal(&context(project), &[VERSION], data_key)?;
        Ok(WrappedKey { key_id: first.id.clone(), wrapped })
    }

    /// Decrypts a data key with the key that wrapped it.
    pub(crate) fn unwrap_key(
        &self,
        project: ProjectId,
        stored: &WrappedKey,
    ) -> Result<[u8; KEY_BYTES], SealError> {
        let key = self.0.iter().find(|key| key.id == stored.key_id).ok_or(SealError::NoKey)?;
        let sealed = stored.wrapped.strip_prefix(&[VERSION]).ok_or(SealError::Damaged)?;
        let opened = key.cipher.open(&context(project), sealed)?;
        opened.try_into().map_err(|_| SealError::Damaged)
    }
}

fn wrapping_key(line: &str) -> Option<WrappingKey> {
    let key: [u8; KEY_BYTES] = from_hex(line.strip_prefix(PREFIX)?)?.try_into().ok()?;
    let digest: [u8; 32] = Sha256::new().chain_update(PREFIX).chain_update(key).finalize().into();
    Some(WrappingKey { id: to_hex(&digest[..ID_BYTES]), cipher: Cipher::new(&key).ok()? })
}

fn context(project: ProjectId) -> String {
    format!("reflect:1:{}:data-key", project.number())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: ProjectId = ProjectId::new(7);

    fn new_line() -> String {
        EncryptionKeys::generate().unwrap().expose_secret().to_owned()
    }

    fn keys(text: &str) -> EncryptionKeys {
        EncryptionKeys::parse(&text.to_owned().into()).unwrap()
    }

    #[test]
    fn the_first_key_wraps_and_all_keys_unwrap() {
        let (old, new) = (new_line(), new_line());
        let data_key = random_key().unwrap();
        let wrapped = keys(&old).wrap_key(PROJECT, &data_key).unwrap();
        assert_eq!(wrapped.wrapped.len(), 61);
        let both = keys(&format!("# the new key\n{new}\n{old}"));
        assert_eq!(both.unwrap_key(PROJECT, &wrapped), Ok(data_key));
        let again = both.wrap_key(PROJECT, &data_key).unwrap();
        assert_eq!(again.key_id, keys(&new).ids()[0]);
        assert_eq!(keys(&new).unwrap_key(PROJECT, &again), Ok(data_key));
        assert_eq!(keys(&old).unwrap_key(PROJECT, &again), Err(SealError::NoKey));
    }

    #[test]
    fn a_wrapped_key_belongs_to_one_project_and_cannot_be_changed() {
        let keys = keys(&new_line());
        let mut wrapped = keys.wrap_key(PROJECT, &random_key().unwrap()).unwrap();
        assert_eq!(keys.unwrap_key(ProjectId::new(8), &wrapped), Err(SealError::Damaged));
        wrapped.wrapped[20] ^= 1;
        assert_eq!(keys.unwrap_key(PROJECT, &wrapped), Err(SealError::Damaged));
    }

    #[test]
    fn texts_without_a_key_are_refused_without_showing_them() {
        let read = |text: &str| EncryptionKeys::parse(&text.to_owned().into()).map(|_| ());
        assert_eq!(read(""), Err(EncryptionKeyError::Empty));
        assert_eq!(read("# only words\n\n"), Err(EncryptionKeyError::Empty));
        let short = format!("{PREFIX}00");
        assert_eq!(read(&format!("{}{short}", new_line())), Err(EncryptionKeyError::NotAKey { line: 2 }));
        assert_eq!(read(&new_line().replace("key-1", "key-2")), Err(EncryptionKeyError::NotAKey { line: 1 }));
        let line = new_line();
        assert!(!format!("{:?}", keys(&line)).contains(&line[30..60]));
    }
}
