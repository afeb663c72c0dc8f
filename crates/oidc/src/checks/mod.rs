//! The checks of an ID token: signature, issuer, audience, expiry, nonce.

use openidconnect::core::{
    CoreGenderClaim, CoreIdTokenVerifier, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
};
use openidconnect::{
    ClaimsVerificationError, ClientId, IdToken, IdTokenClaims, IssuerUrl, Nonce, SignatureVerificationError,
};
use reflect_types::Defence;

use crate::claims::OtherClaims;

/// The ID token with all its claims.
pub(crate) type Token =
    IdToken<OtherClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

/// Signatures with a public key. `none` proves nothing, and a shared secret would let everyone who knows it sign.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What a valid ID token must contain.
#[derive(Debug)]
pub(crate) struct ExpectedToken<'a> {
    pub(crate) issuer: &'a IssuerUrl,
    pub(crate) client_id: &'a str,
    pub(crate) keys: &'a CoreJsonWebKeySet,
    pub(crate) nonce: &'a Nonce,
}

impl ExpectedToken<'_> {
    /// The claims of a valid token.
    pub(crate) fn check<'t>(
        &self,
        token: &'t Token,
    ) -> Result<&'t IdTokenClaims<OtherClaims, CoreGenderClaim>, ClaimsVerificationError> {
        if !Defence::IdToken.is_on() {
            let unchecked = CoreIdTokenVerifier::new_insecure_without_verification();
            return token.claims(&unchecked, |_: Option<&Nonce>| Ok(()));
        }
        let client_id = ClientId::new(self.client_id.to_owned());
        let verifier =
            CoreIdTokenVerifier::new_public_client(client_id, self.issuer.clone(), self.keys.clone())
                .set_allowed_algs(ALGORITHMS);
        token.claims(&verifier, self.nonce)
    }
}

/// Whether the token names a key that is not known, so that fetching the keys again may help.
pub(crate) const fn names_unknown_key(error: &ClaimsVerificationError) -> bool {
    matches!(error, ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey))
}

#[cfg(test)]
mod tests;
