//! Tokens that must be refused.

use std::time::{Duration, SystemTime};

use openidconnect::core::{
    CoreEdDsaPrivateSigningKey, CoreHmacKey, CoreJsonWebKeySet, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    Audience, IdTokenClaims, IssuerUrl, JsonWebKey, JsonWebKeyId, Nonce, PrivateSigningKey, StandardClaims,
    SubjectIdentifier,
};

use super::*;

const ISSUER: &str = "https://sso.example/realm";
const CLIENT: &str = "reflect";
const NONCE: &str = "the nonce of this sign-in";
/// A private key whose 32 bytes are all 1.
const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
/// One whose 32 bytes are all 2.
const OTHER_KEY: &str = "MC4CAQAwBQYDK2VwBCIEIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC";
/// `{"alg":"none"}`
const UNSIGNED: &str = "eyJhbGciOiJub25lIn0";

fn key(base64: &str, kid: &str) -> CoreEdDsaPrivateSigningKey {
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{base64}\n-----END PRIVATE KEY-----\n");
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new(kid.to_owned()))).unwrap()
}

/// The claims of a valid token.
fn claims() -> IdTokenClaims<OtherClaims, CoreGenderClaim> {
    let now = SystemTime::now();
    IdTokenClaims::new(
        IssuerUrl::new(ISSUER.to_owned()).unwrap(),
        vec![Audience::new(CLIENT.to_owned())],
        (now + Duration::from_secs(300)).into(),
        now.into(),
        StandardClaims::new(SubjectIdentifier::new("1".to_owned())),
        OtherClaims::default(),
    )
    .set_nonce(Some(Nonce::new(NONCE.to_owned())))
}

fn signed(claims: IdTokenClaims<OtherClaims, CoreGenderClaim>, key: &CoreEdDsaPrivateSigningKey) -> Token {
    Token::new(claims, key, CoreJwsSigningAlgorithm::EdDsa, None, None).unwrap()
}

/// Checks a token with the public key `a`. Returns the error as text.
fn check(token: &Token) -> Result<(), String> {
    let expected = ExpectedToken {
        issuer: &IssuerUrl::new(ISSUER.to_owned()).unwrap(),
        client_id: CLIENT,
        keys: &CoreJsonWebKeySet::new(vec![key(KEY, "a").as_verification_key()]),
        nonce: &Nonce::new(NONCE.to_owned()),
    };
    // What the token endpoint sends is a text.
    let token: Token = token.to_string().parse().map_err(|error| format!("unreadable: {error}"))?;
    expected.check(&token).map(drop).map_err(|error| format!("{error:?}"))
}

#[test]
fn a_valid_token_is_accepted() {
    assert_eq!(check(&signed(claims(), &key(KEY, "a"))), Ok(()));
}

#[test]
fn a_token_for_another_client_or_of_another_issuer_is_refused() {
    let key = key(KEY, "a");
    let audiences = |names: &[&str]| {
        let names = names.iter().map(|name| Audience::new((*name).to_owned())).collect();
        check(&signed(claims().set_audiences(names), &key)).unwrap_err()
    };
    for others in [&["other"][..], &[], &[CLIENT, "other"]] {
        assert!(audiences(others).starts_with("InvalidAudience"), "{others:?}");
    }
    let issuer = IssuerUrl::new("https://evil.example/realm".to_owned()).unwrap();
    let foreign = check(&signed(claims().set_issuer(issuer), &key)).unwrap_err();
    assert!(foreign.starts_with("InvalidIssuer"), "{foreign}");
}

#[test]
fn a_token_of_another_sign_in_is_refused() {
    let key = key(KEY, "a");
    for nonce in [None, Some(Nonce::new("another sign-in".to_owned()))] {
        let error = check(&signed(claims().set_nonce(nonce), &key)).unwrap_err();
        assert!(error.starts_with("InvalidNonce"), "{error}");
    }
}

#[test]
fn an_expired_token_is_refused() {
    let past = SystemTime::now() - Duration::from_secs(1);
    let error = check(&signed(claims().set_expiration(past.into()), &key(KEY, "a"))).unwrap_err();
    assert!(error.starts_with("Expired"), "{error}");
}

#[test]
fn a_token_signed_with_another_key_is_refused() {
    let error = check(&signed(claims(), &key(OTHER_KEY, "a"))).unwrap_err();
    assert!(error.contains("CryptoError"), "{error}");
    let unknown = check(&signed(claims(), &key(OTHER_KEY, "b"))).unwrap_err();
    assert!(unknown.contains("NoMatchingKey"), "{unknown}");
}

#[test]
fn a_token_without_a_signature_is_refused() {
    let valid = signed(claims(), &key(KEY, "a")).to_string();
    let payload = valid.split('.').nth(1).unwrap();
    let signature = valid.split('.').nth(2).unwrap();
    for forged in [format!("{UNSIGNED}.{payload}."), format!("{UNSIGNED}.{payload}.{signature}")] {
        let refused =
            forged.parse::<Token>().map_or_else(|error| Err(error.to_string()), |token| check(&token));
        let error = refused.unwrap_err();
        assert!(error.contains("NoSignature") || error.contains("DisallowedAlg"), "{error}");
    }
}

#[test]
fn a_token_signed_with_a_shared_secret_is_refused() {
    let public = key(KEY, "a").as_verification_key();
    let secret = serde_json::to_string(&public).unwrap();
    assert!(public.key_id().is_some());
    for secret in [CLIENT.to_owned(), secret] {
        let hmac = CoreHmacKey::new(secret);
        let token = Token::new(claims(), &hmac, CoreJwsSigningAlgorithm::HmacSha256, None, None).unwrap();
        let error = check(&token).unwrap_err();
        assert!(error.contains("DisallowedAlg"), "{error}");
    }
}

#[test]
fn a_changed_payload_is_refused() {
    let valid = signed(claims(), &key(KEY, "a")).to_string();
    let other =
        signed(claims().set_subject(SubjectIdentifier::new("2".to_owned())), &key(KEY, "a")).to_string();
    let parts: Vec<&str> = valid.split('.').collect();
    let mixed = [parts[0], other.split('.').nth(1).unwrap(), parts[2]].join(".");

    let error = check(&mixed.parse().unwrap()).unwrap_err();
    assert!(error.contains("CryptoError"), "{error}");
}
