//! The settings of one provider, and their validation.

use openidconnect::IssuerUrl;
use openidconnect::url::Host;
use reflect_outbound::OutboundProxy;
use secrecy::SecretString;

/// The settings of one provider. All of them come from the operator.
#[derive(Debug, Clone)]
pub struct OidcSettings {
    /// The name in paths: lower-case letters, digits and hyphens.
    pub name: String,
    /// The issuer, as the provider spells it.
    pub issuer: String,
    /// The id of Reflect at the provider.
    pub client_id: String,
    /// The secret of Reflect at the provider. Public clients have none.
    pub client_secret: Option<SecretString>,
    /// Scopes besides `openid`.
    pub scopes: Vec<String>,
    /// The claim with the groups. A dot reaches into an object: `realm_access.roles`.
    pub groups_claim: String,
    /// Hosts of endpoints, if they are not the issuer's host.
    pub endpoint_hosts: Vec<String>,
    /// The address of Reflect that the provider sends the browser back to.
    pub redirect_url: String,
    /// The address of Reflect after a sign-out at the provider.
    pub signed_out_url: String,
    /// The proxy.
    pub proxy: Option<OutboundProxy>,
}

/// Why the settings of a provider cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct InvalidOidcSettings {
    /// The setting.
    pub field: &'static str,
    /// The problem, as the rest of a sentence that starts with the field.
    pub problem: String,
}

impl OidcSettings {
    /// The issuer. Without TLS, anyone on the network could sign in, so plain HTTP works on this machine only.
    pub(crate) fn issuer(&self) -> Result<IssuerUrl, InvalidOidcSettings> {
        let wrong = |problem: String| InvalidOidcSettings { field: "issuer", problem };
        let issuer = IssuerUrl::new(self.issuer.clone())
            .map_err(|error| wrong(format!("{:?} is not a URL: {error}", self.issuer)))?;
        let url = issuer.url();
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
            return Err(wrong(format!("{:?} must end with its path", self.issuer)));
        }
        let is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        if url.scheme() == "https" || (url.scheme() == "http" && is_local) {
            Ok(issuer)
        } else {
            Err(wrong(format!("{:?} must start with https://", self.issuer)))
        }
    }

    pub(crate) fn check(&self) -> Result<(), InvalidOidcSettings> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.name.is_empty() || self.name.len() > 40 || !self.name.bytes().all(plain) {
            let problem = format!("{:?} must have 1 to 40 lower-case letters, digits and hyphens", self.name);
            return Err(InvalidOidcSettings { field: "name", problem });
        }
        if self.client_id.trim().is_empty() {
            return Err(InvalidOidcSettings { field: "client_id", problem: "must not be empty".to_owned() });
        }
        Ok(())
    }
}
