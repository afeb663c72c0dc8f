//! A sign-in that has started. The browser keeps one secret in a cookie; state, nonce and PKCE verifier are derived from
//! it. So the server stores nothing, and any process can finish the sign-in.

use openidconnect::{CsrfToken, Nonce, PkceCodeVerifier};
use rand::distr::{Alphanumeric, SampleString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// 43 characters of 62 are 256 bits.
const SECRET: usize = 43;

/// A sign-in that has started.
#[derive(Clone)]
pub struct PendingSignIn {
    secret: String,
    provider: String,
}

impl PendingSignIn {
    /// Starts a sign-in with this provider.
    pub fn start(provider: &str) -> Self {
        let secret = Alphanumeric.sample_string(&mut rand::rng(), SECRET);
        Self { secret, provider: provider.to_owned() }
    }

    /// The sign-in that a browser's cookie belongs to. `None` if the text is not a secret.
    pub fn resume(provider: &str, secret: &str) -> Option<Self> {
        let is_secret = secret.len() == SECRET && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_secret.then(|| Self { secret: secret.to_owned(), provider: provider.to_owned() })
    }

    /// The secret, for the browser's cookie.
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The state that the provider must return.
    pub(crate) fn state(&self) -> CsrfToken {
        CsrfToken::new(self.derive("state"))
    }

    pub(crate) fn nonce(&self) -> Nonce {
        Nonce::new(self.derive("nonce"))
    }

    pub(crate) fn verifier(&self) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.derive("verifier"))
    }

    /// Whether the state in the provider's answer is the one that was sent.
    pub(crate) fn has_state(&self, state: &str) -> bool {
        self.state().secret().as_bytes().ct_eq(state.as_bytes()).into()
    }

    /// A digest with the secret at the end: none of the derived texts reveals the secret or another one.
    fn derive(&self, purpose: &str) -> String {
        let digest = Sha256::digest(format!("reflect {purpose}\n{}\n{}", self.provider, self.secret));
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Leaves out the secret.
impl std::fmt::Debug for PendingSignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PendingSignIn({})", self.provider)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_restores_the_sign_in_of_one_provider() {
        let started = PendingSignIn::start("corp");
        let resumed = PendingSignIn::resume("corp", started.secret()).unwrap();
        let elsewhere = PendingSignIn::resume("other", started.secret()).unwrap();

        assert!(resumed.has_state(started.state().secret()));
        assert_eq!(resumed.nonce().secret(), started.nonce().secret());
        assert_eq!(resumed.verifier().secret(), started.verifier().secret());
        assert!(!elsewhere.has_state(started.state().secret()), "another provider");
        assert!(!PendingSignIn::start("corp").has_state(started.state().secret()), "another browser");
        assert!(PendingSignIn::resume("corp", "short").is_none());
    }

    #[test]
    fn derived_texts_differ_and_the_verifier_has_a_valid_length() {
        let pending = PendingSignIn::start("corp");
        let (state, nonce, verifier) = (pending.state(), pending.nonce(), pending.verifier());

        assert_ne!(state.secret(), nonce.secret());
        assert_ne!(nonce.secret(), verifier.secret());
        assert!((43..=128).contains(&verifier.secret().len()));
        assert!(!format!("{pending:?}").contains(pending.secret()));
    }
}
