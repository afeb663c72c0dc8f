//! The Ed25519 key that signs the ends of chains. It is stored in a file, never in the database.

use std::fmt;
use std::str::FromStr;

use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use crate::hex;

const SECRET_PREFIX: &str = "reflect-audit-secret-1:";
const PUBLIC_PREFIX: &str = "reflect-audit-public-1:";
/// Enough to tell keys apart.
const ID_BYTES: usize = 8;

/// A text that is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuditKeyError {
    /// Not the content of a key file.
    #[error("the file does not contain an audit key; create one with `reflect audit key`")]
    NotAKey,
    /// Not a public key.
    #[error("must be reflect-audit-public-1: and 64 hexadecimal digits, as `reflect audit key` prints it")]
    NotAPublicKey,
    /// The system gave no random bytes.
    #[error("the system's random number generator failed")]
    NoRandomness,
}

/// Signs the ends of chains.
pub struct AuditKey {
    pair: Ed25519KeyPair,
    public: AuditPublicKey,
}

/// Without the secret.
impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuditKey({})", self.public.id())
    }
}

impl AuditKey {
    /// The content of a new key file.
    pub fn generate() -> Result<SecretString, AuditKeyError> {
        let mut seed = [0; 32];
        SystemRandom::new().fill(&mut seed).map_err(|_| AuditKeyError::NoRandomness)?;
        Ok(format!("{SECRET_PREFIX}{}\n", hex::encode(&seed)).into())
    }

    /// Reads the content of a key file.
    pub fn parse(text: &SecretString) -> Result<Self, AuditKeyError> {
        let seed = text.expose_secret().trim().strip_prefix(SECRET_PREFIX);
        let seed = seed.and_then(hex::decode_array::<32>).ok_or(AuditKeyError::NotAKey)?;
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| AuditKeyError::NotAKey)?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| AuditKeyError::NotAKey)?;
        Ok(Self { pair, public: AuditPublicKey(public) })
    }

    /// The key that verifies its signatures.
    pub const fn public(&self) -> &AuditPublicKey {
        &self.public
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// Verifies signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditPublicKey([u8; 32]);

impl AuditPublicKey {
    /// A short name of the key.
    pub fn id(&self) -> String {
        let digest: [u8; 32] = Sha256::digest(self.0).into();
        hex::encode(&digest[..ID_BYTES])
    }

    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for AuditPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_PREFIX}{}", hex::encode(&self.0))
    }
}

impl FromStr for AuditPublicKey {
    type Err = AuditKeyError;

    fn from_str(text: &str) -> Result<Self, AuditKeyError> {
        let key = text.trim().strip_prefix(PUBLIC_PREFIX).and_then(hex::decode_array);
        key.map(Self).ok_or(AuditKeyError::NotAPublicKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_file_and_verifies_only_its_own_signatures() {
        let text = AuditKey::generate().unwrap();
        let (key, again) = (AuditKey::parse(&text).unwrap(), AuditKey::parse(&text).unwrap());
        assert_eq!(key.public(), again.public());
        let public: AuditPublicKey = key.public().to_string().parse().unwrap();
        let signature = key.sign(b"message");
        assert!(public.verifies(b"message", &signature));
        assert!(!public.verifies(b"messagf", &signature));
        let other = AuditKey::parse(&AuditKey::generate().unwrap()).unwrap();
        assert!(!other.public().verifies(b"message", &signature));
        assert_ne!(other.public().id(), public.id());
        assert!(!format!("{key:?}").contains(&text.expose_secret()[30..60]));
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in ["", "reflect-audit-secret-1:", "reflect-audit-secret-1:00", "ssh-ed25519 AAAA"] {
            assert!(AuditKey::parse(&text.to_owned().into()).is_err(), "{text}");
            assert!(text.parse::<AuditPublicKey>().is_err(), "{text}");
        }
    }
}
