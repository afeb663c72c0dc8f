//! Secrets and signatures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use secrecy::{ExposeSecret, SecretString};

const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// A new secret: `whsec_` and 32 random bytes in Base64.
pub fn generate_secret() -> SecretString {
    let bytes: [u8; SECRET_BYTES] = rand::random();
    format!("{PREFIX}{}", STANDARD.encode(bytes)).into()
}

/// The value of the header `webhook-signature`: one signature per secret. A text that is not a secret gives none.
///
/// ```
/// use reflect_webhook_client::sign;
///
/// let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into();
/// let signature = sign(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
/// assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
/// ```
pub fn sign(secrets: &[SecretString], id: &str, timestamp: u64, body: &[u8]) -> String {
    let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
    let keys = secrets.iter().filter_map(|secret| {
        let key = secret.expose_secret().strip_prefix(PREFIX)?;
        STANDARD.decode(key).ok()
    });
    let signatures = keys.map(|key| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
        format!("v1,{}", STANDARD.encode(hmac::sign(&key, &signed)))
    });
    signatures.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_random_and_each_gives_a_signature_of_its_own() {
        let (one, other) = (generate_secret(), generate_secret());
        assert_ne!(one.expose_secret(), other.expose_secret());
        assert_eq!(one.expose_secret().len(), PREFIX.len() + 44);

        let both = sign(&[one.clone(), other], "id", 1, b"{}");
        let (first, second) = both.split_once(' ').unwrap();
        let alone = std::slice::from_ref(&one);
        assert_eq!(first, sign(alone, "id", 1, b"{}"));
        assert!(second.starts_with("v1,") && first != second);
        for (id, timestamp, body) in [("other", 1, "{}"), ("id", 2, "{}"), ("id", 1, "{ }")] {
            assert_ne!(first, sign(alone, id, timestamp, body.as_bytes()));
        }
    }

    #[test]
    fn a_text_that_is_no_secret_signs_nothing() {
        assert_eq!(sign(&["MfKQ9r8G".to_owned().into(), "whsec_?".to_owned().into()], "id", 1, b"{}"), "");
    }
}
