//! The client of one provider: where to send the browser, and who came back.

use std::sync::Arc;
use std::time::Duration;

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod, CoreErrorResponseType,
    CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AccessToken, AuthType, AuthorizationCode, Client, ClientId, ClientSecret, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenFields, LogoutRequest, OAuth2TokenResponse,
    PkceCodeChallenge, PostLogoutRedirectUrl, ProviderMetadataWithLogout, RedirectUrl, RequestTokenError,
    Scope, StandardErrorResponse, StandardTokenResponse, SubjectIdentifier, TokenResponse, UserInfoClaims,
};
use reflect_outbound::innermost;
use secrecy::ExposeSecret;
use serde::Deserialize;

use crate::checks::{ExpectedToken, Token, names_unknown_key};
use crate::claims::{CollectedClaims, OtherClaims, VerifiedIdentity, add_claims};
use crate::discovery::Discovery;
use crate::error::OidcError;
use crate::fetch::{FetchError, Fetcher};
use crate::pending::PendingSignIn;
use crate::settings::{InvalidOidcSettings, OidcSettings};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A description of the provider in the log is cut after this many characters.
const LONGEST_DESCRIPTION: usize = 200;

type TokenFields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type Tokens = StandardTokenResponse<TokenFields, CoreTokenType>;
type TokenError = RequestTokenError<FetchError, StandardErrorResponse<CoreErrorResponseType>>;

/// The client of `openidconnect` with all claims of an ID token.
type ProtocolClient = Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The parameters with which a provider sends the browser back.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ProviderAnswer {
    /// The code to exchange for tokens.
    pub code: Option<String>,
    /// The state that was sent.
    pub state: Option<String>,
    /// The issuer.
    pub iss: Option<String>,
    /// Why the provider refused.
    pub error: Option<String>,
    /// The same for people.
    pub error_description: Option<String>,
}

/// The client of one provider. Cheap to clone; clones share the provider's metadata.
#[derive(Debug, Clone)]
pub struct OidcClient(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    settings: OidcSettings,
    redirect: RedirectUrl,
    signed_out: PostLogoutRedirectUrl,
    discovery: Discovery,
}

impl OidcClient {
    /// Checks the settings. Nothing is sent before the first sign-in.
    pub fn new(settings: OidcSettings) -> Result<Self, InvalidOidcSettings> {
        settings.check()?;
        let issuer = settings.issuer()?;
        let invalid = |field, error: &dyn std::error::Error| InvalidOidcSettings {
            field,
            problem: format!("cannot be used: {}", innermost(error)),
        };
        // Sign-ins are rare: a kept connection would often be closed by the provider at the moment of the next request.
        let client = reflect_outbound::client_builder(issuer.url(), CONNECT_TIMEOUT, settings.proxy.as_ref())
            .and_then(|builder| builder.pool_max_idle_per_host(0).build());
        let client = client.map_err(|error| invalid("issuer", &error))?;
        let redirect = RedirectUrl::new(settings.redirect_url.clone());
        let signed_out = PostLogoutRedirectUrl::new(settings.signed_out_url.clone());
        let fetcher = Fetcher::new(client, issuer.url(), &settings.endpoint_hosts);
        Ok(Self(Arc::new(Parts {
            redirect: redirect.map_err(|error| invalid("redirect_url", &error))?,
            signed_out: signed_out.map_err(|error| invalid("signed_out_url", &error))?,
            discovery: Discovery::new(issuer, fetcher),
            settings,
        })))
    }

    /// The name in paths.
    pub fn name(&self) -> &str {
        &self.0.settings.name
    }

    /// The issuer.
    pub fn issuer(&self) -> &str {
        self.0.discovery.issuer().as_str()
    }

    /// Where the browser goes to sign in.
    pub async fn authorize_url(&self, pending: &PendingSignIn) -> Result<String, OidcError> {
        let metadata = self.0.discovery.metadata().await?;
        let client = self.protocol(&metadata);
        let (state, nonce) = (pending.state(), pending.nonce());
        let scopes = self.0.settings.scopes.iter().map(|scope| Scope::new(scope.clone()));
        let request = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, move || state, move || nonce)
            .add_scopes(scopes)
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&pending.verifier()));
        Ok(request.url().0.into())
    }

    /// Exchanges the code in the provider's answer, and checks who signed in.
    pub async fn identity(
        &self,
        pending: &PendingSignIn,
        answer: &ProviderAnswer,
    ) -> Result<VerifiedIdentity, OidcError> {
        if !answer.state.as_deref().is_some_and(|state| pending.has_state(state)) {
            return Err(OidcError::WrongState);
        }
        if answer.iss.as_deref().is_some_and(|issuer| issuer != self.issuer()) {
            return Err(OidcError::Unusable("its answer names another issuer".to_owned()));
        }
        let Some(code) = &answer.code else {
            let reason = answer.error_description.as_ref().or(answer.error.as_ref());
            let reason = reason.map_or("no reason given", String::as_str);
            return Err(OidcError::Refused(reason.chars().take(LONGEST_DESCRIPTION).collect()));
        };
        let metadata = self.0.discovery.metadata().await?;
        let client = self.protocol(&metadata);
        let exchange = client.exchange_code(AuthorizationCode::new(code.clone()));
        let exchange = exchange.map_err(|error| OidcError::Unusable(error.to_string()))?;
        let exchange = exchange.set_pkce_verifier(pending.verifier());
        let tokens: Tokens =
            exchange.request_async(&self.0.discovery.fetcher).await.map_err(|error| token_error(&error))?;
        let token = tokens.id_token();
        let token = token.ok_or_else(|| OidcError::Unusable("it sent no ID token".to_owned()))?;
        let (mut claims, subject) = self.verified(token, pending, metadata).await?;
        if !is_subject(subject.as_str()) {
            return Err(OidcError::Unusable("its subject is not 1 to 255 characters of text".to_owned()));
        }
        if claims.is_incomplete(&self.0.settings.groups_claim) {
            self.complete(&mut claims, &client, tokens.access_token(), &subject).await?;
        }
        let issuer = self.issuer().to_owned();
        let groups = &self.0.settings.groups_claim;
        Ok(claims.identity(issuer, subject.to_string(), groups, token.to_string()))
    }

    /// Where the browser goes to sign out at the provider. `None` if the provider does not support it.
    pub async fn sign_out_url(&self, id_token: Option<&str>) -> Option<String> {
        let metadata = self.0.discovery.metadata().await.ok()?;
        let end = metadata.additional_metadata().end_session_endpoint.clone()?;
        let mut request = LogoutRequest::from(end)
            .set_client_id(ClientId::new(self.0.settings.client_id.clone()))
            .set_post_logout_redirect_uri(self.0.signed_out.clone());
        if let Some(token) = id_token.and_then(|text| text.parse::<Token>().ok()) {
            request = request.set_id_token_hint(&token);
        }
        Some(request.http_get_url().into())
    }

    /// Checks an ID token. If it names an unknown key, the keys are fetched again, once.
    async fn verified(
        &self,
        token: &Token,
        pending: &PendingSignIn,
        metadata: Arc<ProviderMetadataWithLogout>,
    ) -> Result<(CollectedClaims, SubjectIdentifier), OidcError> {
        let mut metadata = metadata;
        let nonce = pending.nonce();
        let mut may_fetch = true;
        loop {
            let expected = ExpectedToken {
                issuer: self.0.discovery.issuer(),
                client_id: &self.0.settings.client_id,
                keys: metadata.jwks(),
                nonce: &nonce,
            };
            let error = match expected.check(token) {
                Ok(found) => {
                    let mut claims = CollectedClaims::default();
                    add_claims!(claims, found);
                    return Ok((claims, found.subject().clone()));
                }
                Err(error) => error,
            };
            let fetched = match may_fetch && names_unknown_key(&error) {
                true => self.0.discovery.new_keys().await?,
                false => None,
            };
            may_fetch = false;
            metadata = fetched.ok_or_else(|| OidcError::InvalidToken(innermost(&error)))?;
        }
    }

    /// Adds the claims of the userinfo endpoint. Some providers keep ID tokens short. The subject must be the same.
    async fn complete(
        &self,
        claims: &mut CollectedClaims,
        client: &ProtocolClient,
        access: &AccessToken,
        subject: &SubjectIdentifier,
    ) -> Result<(), OidcError> {
        let Ok(request) = client.user_info(access.clone(), Some(subject.clone())) else { return Ok(()) };
        let fetched = request.request_async(&self.0.discovery.fetcher).await;
        let found: UserInfoClaims<OtherClaims, CoreGenderClaim> = match fetched {
            Ok(found) => found,
            Err(error) => {
                // The claims of the ID token may be enough.
                tracing::warn!(
                    provider = self.name(),
                    "no claims of the userinfo endpoint: {}",
                    innermost(&error)
                );
                return Ok(());
            }
        };
        add_claims!(claims, &found);
        Ok(())
    }

    fn protocol(&self, metadata: &ProviderMetadataWithLogout) -> ProtocolClient {
        let settings = &self.0.settings;
        let secret = settings.client_secret.as_ref();
        let secret = secret.map(|secret| ClientSecret::new(secret.expose_secret().to_owned()));
        // The default of the standard, if the provider does not say what it supports.
        let basic = metadata
            .token_endpoint_auth_methods_supported()
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth = if basic && secret.is_some() { AuthType::BasicAuth } else { AuthType::RequestBody };
        let client_id = ClientId::new(settings.client_id.clone());
        ProtocolClient::from_provider_metadata(metadata.clone(), client_id, secret)
            .set_redirect_uri(self.0.redirect.clone())
            .set_auth_type(auth)
    }
}

/// The standard allows 255 characters.
fn is_subject(text: &str) -> bool {
    (1..=255).contains(&text.len()) && !text.chars().any(char::is_control)
}

fn token_error(error: &TokenError) -> OidcError {
    match error {
        RequestTokenError::ServerResponse(refusal) => OidcError::Refused(refusal.to_string()),
        RequestTokenError::Request(error @ FetchError::ForeignAddress(_)) => {
            OidcError::Unusable(error.to_string())
        }
        RequestTokenError::Request(error) => OidcError::Unreachable(error.to_string()),
        RequestTokenError::Parse(error, _) => OidcError::Unusable(innermost(error)),
        RequestTokenError::Other(message) => OidcError::Unusable(message.clone()),
    }
}
