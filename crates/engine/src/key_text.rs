//! The text of an API key: creation, parsing with a checksum, and digest.
//!
//! `rf_live_` or `rf_test_`, eight characters of public id, `_`, 43 random characters (256 bits), and six characters
//! that are the CRC-32 of all before them. A text that does not match `rf_(live|test)_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}`
//! is refused without a query, and secret scanners can search for the same pattern.

use std::fmt;

use rand::distr::{Alphanumeric, SampleString};
use reflect_types::Environment;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

const PUBLIC: usize = 8;
const SECRET: usize = 43;
const CHECKSUM: usize = 6;

/// A well-formed key, which may not exist. `Debug` does not show it.
pub struct KeyText {
    text: SecretString,
    public_id: String,
}

/// The text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a key of this system")]
pub struct MalformedKey;

impl KeyText {
    /// Generates a key.
    ///
    /// ```
    /// use reflect_engine::KeyText;
    /// use reflect_types::Environment;
    ///
    /// let key = KeyText::generate(Environment::Live);
    /// let read = KeyText::parse(key.expose()).unwrap();
    /// assert_eq!(read.public_id(), key.public_id());
    /// ```
    pub fn generate(environment: Environment) -> Self {
        let mut random = rand::rng();
        let public_id = Alphanumeric.sample_string(&mut random, PUBLIC);
        let secret = Alphanumeric.sample_string(&mut random, SECRET);
        let body = format!("rf_{environment}_{public_id}_{secret}");
        let text = format!("{body}{}", checksum(&body));
        Self { text: text.into(), public_id }
    }

    /// Parses a key. Does not check whether it exists.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        let rest = text.strip_prefix("rf_live_").or_else(|| text.strip_prefix("rf_test_"));
        let (public_id, secret) = rest.and_then(|rest| rest.split_once('_')).ok_or(MalformedKey)?;
        let alphanumeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let well_formed = public_id.len() == PUBLIC
            && secret.len() == SECRET + CHECKSUM
            && alphanumeric(public_id)
            && alphanumeric(secret);
        if !well_formed {
            return Err(MalformedKey);
        }
        let (body, sum) = text.split_at(text.len() - CHECKSUM);
        if checksum(body) != sum {
            return Err(MalformedKey);
        }
        Ok(Self { text: text.to_owned().into(), public_id: public_id.to_owned() })
    }

    /// The public id, which may be shown.
    pub fn public_id(&self) -> &str {
        &self.public_id
    }

    /// The digest that is stored instead of the key.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.text.expose_secret().as_bytes()).into()
    }

    /// The whole key, to be shown once.
    pub fn expose(&self) -> &str {
        self.text.expose_secret()
    }
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyText({}…)", self.public_id)
    }
}

/// The last characters of a key with this beginning.
pub(crate) fn checksum(body: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rest = u64::from(crc32fast::hash(body.as_bytes()));
    let mut text = [b'0'; CHECKSUM];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[(rest % 62) as usize];
        rest /= 62;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_new_key_has_the_published_form() {
        let live = KeyText::generate(Environment::Live);
        let test = KeyText::generate(Environment::Test);
        assert!(live.expose().starts_with("rf_live_"));
        assert!(test.expose().starts_with("rf_test_"));
        assert_eq!(live.expose().len(), "rf_live_".len() + 8 + 1 + 49);
    }

    #[test]
    fn one_changed_character_is_noticed_without_a_look_up() {
        let key = KeyText::generate(Environment::Live);
        for place in "rf_live_".len()..key.expose().len() {
            let mut typo = key.expose().to_owned().into_bytes();
            typo[place] = if typo[place] == b'x' { b'y' } else { b'x' };
            assert!(KeyText::parse(std::str::from_utf8(&typo).unwrap()).is_err(), "at {place}");
        }
    }

    #[test]
    fn the_secret_is_not_shown() {
        let key = KeyText::generate(Environment::Live);
        let shown = format!("{key:?}");
        assert!(!shown.contains(&key.expose()["rf_live_".len() + 9..]), "{shown}");
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".*") {
            let _ = KeyText::parse(&text);
        }

        #[test]
        fn random_text_of_the_right_form_is_no_key(tail in "[0-9A-Za-z]{8}_[0-9A-Za-z]{49}") {
            let text = format!("rf_live_{tail}");
            prop_assert!(KeyText::parse(&text).is_err());
        }
    }
}
