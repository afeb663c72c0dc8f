//! Sign-in with OpenID Connect: the authorization code flow with PKCE.
//!
//! `openidconnect` implements the protocol and the cryptography. This crate limits time and size of responses, restricts
//! the addresses that a provider can name, fetches new signing keys, and returns checked claims. It decides nothing about
//! roles.

mod checks;
mod claims;
mod client;
mod discovery;
mod error;
mod fetch;
mod pending;
mod settings;

pub use claims::VerifiedIdentity;
pub use client::{OidcClient, ProviderAnswer};
pub use error::OidcError;
pub use pending::PendingSignIn;
pub use settings::{InvalidOidcSettings, OidcSettings};
