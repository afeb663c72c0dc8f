//! Secrets of links and sessions: how they are made, stored and compared.

use std::time::Duration;

use rand::distr::{Alphanumeric, SampleString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A session without a request for this long has ended.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// A session ends after this time, even while it is in use.
pub(crate) const SESSION_LASTS: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// 43 characters of 62 are 256 bits.
const SECRET: usize = 43;

/// A secret of 256 random bits.
pub(crate) fn new_secret() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), SECRET)
}

/// Whether a text has the form of a secret. Other texts need no look-up.
pub(crate) fn is_secret(text: &str) -> bool {
    text.len() == SECRET && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The digest that is stored instead of a secret.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// Compares two secrets in constant time.
pub(crate) fn same_secret(left: &str, right: &str) -> bool {
    Sha256::digest(left).ct_eq(&Sha256::digest(right)).into()
}

/// Whole seconds, as the store takes them.
pub(crate) fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_never_what_is_stored() {
        let (first, second) = (new_secret(), new_secret());
        assert_ne!(first, second);
        assert!(is_secret(&first));
        assert_ne!(digest(&first).as_slice(), first.as_bytes());
    }
}
