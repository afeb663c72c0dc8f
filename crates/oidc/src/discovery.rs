//! The provider's metadata and signing keys, fetched at the first sign-in and kept.

use std::sync::Arc;
use std::time::Duration;

use openidconnect::{DiscoveryError, IssuerUrl, JsonWebKeySet, ProviderMetadataWithLogout};
use reflect_outbound::innermost;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::error::OidcError;
use crate::fetch::{FetchError, Fetcher};

/// After this time the metadata is fetched again at the next sign-in.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// A provider that failed is not asked again for this long. Anyone can start a sign-in, so each one must not cost a
/// request and a wait.
const PAUSE: Duration = Duration::from_secs(5);
/// Signing keys are fetched again at most this often.
const KEYS_PAUSE: Duration = Duration::from_secs(30);

/// The metadata of one provider.
#[derive(Debug)]
pub(crate) struct Discovery {
    issuer: IssuerUrl,
    pub(crate) fetcher: Fetcher,
    /// Locked while a request runs: simultaneous sign-ins share one request.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    known: Option<(Instant, Arc<ProviderMetadataWithLogout>)>,
    failed: Option<(Instant, OidcError)>,
    keys_fetched: Option<Instant>,
}

impl Discovery {
    pub(crate) fn new(issuer: IssuerUrl, fetcher: Fetcher) -> Self {
        Self { issuer, fetcher, state: Mutex::default() }
    }

    pub(crate) const fn issuer(&self) -> &IssuerUrl {
        &self.issuer
    }

    /// The metadata with the signing keys.
    pub(crate) async fn metadata(&self) -> Result<Arc<ProviderMetadataWithLogout>, OidcError> {
        let mut state = self.state.lock().await;
        let known = state.known.clone();
        if let Some((at, metadata)) = &known
            && at.elapsed() < KEPT
        {
            return Ok(metadata.clone());
        }
        if let Some((at, error)) = &state.failed
            && at.elapsed() < PAUSE
        {
            return known.map(|(_, metadata)| metadata).ok_or_else(|| error.clone());
        }
        let fetched = ProviderMetadataWithLogout::discover_async(self.issuer.clone(), &self.fetcher).await;
        match fetched.map_err(discovery_error).and_then(|metadata| self.checked(metadata)) {
            Ok(metadata) => {
                let metadata = Arc::new(metadata);
                state.known = Some((Instant::now(), metadata.clone()));
                state.failed = None;
                Ok(metadata)
            }
            Err(error) => {
                tracing::warn!(issuer = %*self.issuer, %error, "an identity provider failed: {error}");
                state.failed = Some((Instant::now(), error.clone()));
                known.map(|(_, metadata)| metadata).ok_or(error)
            }
        }
    }

    /// Fetches the signing keys again after a token named an unknown key. `None` if they were fetched a moment ago.
    pub(crate) async fn new_keys(&self) -> Result<Option<Arc<ProviderMetadataWithLogout>>, OidcError> {
        let mut state = self.state.lock().await;
        let Some((at, known)) = state.known.clone() else { return Ok(None) };
        if state.keys_fetched.is_some_and(|at| at.elapsed() < KEYS_PAUSE) {
            return Ok(None);
        }
        state.keys_fetched = Some(Instant::now());
        let keys = JsonWebKeySet::fetch_async(known.jwks_uri(), &self.fetcher).await;
        let metadata = Arc::new(known.as_ref().clone().set_jwks(keys.map_err(discovery_error)?));
        state.known = Some((at, metadata.clone()));
        tracing::info!(issuer = %*self.issuer, "fetched the signing keys of an identity provider again");
        Ok(Some(metadata))
    }

    /// Refuses endpoints that a browser must not be sent to, and a provider without a token endpoint.
    fn checked(&self, metadata: ProviderMetadataWithLogout) -> Result<ProviderMetadataWithLogout, OidcError> {
        let sign_in = metadata.authorization_endpoint().url();
        let sign_out = metadata.additional_metadata().end_session_endpoint.as_ref().map(|end| end.url());
        for url in std::iter::once(sign_in).chain(sign_out) {
            if url.scheme() != self.issuer.url().scheme() {
                return Err(OidcError::Unusable(format!("the endpoint {url} must use the issuer's scheme")));
            }
        }
        match metadata.token_endpoint() {
            Some(_) => Ok(metadata),
            None => Err(OidcError::Unusable("it has no token endpoint".to_owned())),
        }
    }
}

fn discovery_error(error: DiscoveryError<FetchError>) -> OidcError {
    match error {
        DiscoveryError::Request(error @ FetchError::ForeignAddress(_)) => {
            OidcError::Unusable(error.to_string())
        }
        DiscoveryError::Request(error) => OidcError::Unreachable(error.to_string()),
        DiscoveryError::Response(_, _, message) => OidcError::Unusable(message),
        error => OidcError::Unusable(innermost(&error)),
    }
}
