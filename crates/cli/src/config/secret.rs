//! Parses secrets from flags and variables.

use secrecy::SecretString;

pub(crate) fn secret(text: &str) -> Result<SecretString, String> {
    if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(text.to_owned().into()) }
}
