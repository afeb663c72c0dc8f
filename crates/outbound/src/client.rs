//! What every client of the server has in common.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

use crate::address_guard::GuardedResolver;
use crate::proxy::OutboundProxy;

/// Describes a client for this address that follows no redirects and uses only the given proxy.
pub fn client_builder(
    url: &Url,
    connect_timeout: Duration,
    proxy: Option<&OutboundProxy>,
) -> Result<ClientBuilder, reqwest::Error> {
    builder(url.scheme() == "https", connect_timeout, proxy)
}

/// The same for addresses that users choose: names are resolved by this resolver. With one that permits listed networks
/// only, the client sends plain HTTP.
pub fn guarded_client_builder(
    resolver: GuardedResolver,
    connect_timeout: Duration,
    proxy: Option<&OutboundProxy>,
) -> Result<ClientBuilder, reqwest::Error> {
    let builder = builder(!resolver.is_listed_only(), connect_timeout, proxy)?;
    Ok(builder.dns_resolver(Arc::new(resolver)))
}

fn builder(
    secure: bool,
    connect_timeout: Duration,
    proxy: Option<&OutboundProxy>,
) -> Result<ClientBuilder, reqwest::Error> {
    // Fails only if the process already has a crypto provider, which works as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("reflect/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        .no_proxy()
        .redirect(Policy::none())
        // A few compressed kilobytes could expand to gigabytes.
        .no_gzip();
    if let Some(proxy) = proxy {
        builder = builder.proxy(proxy.rule()?);
    }
    // Certificates are verified against the certificate store of the system. A system without one can still use plain
    // HTTP.
    let uses_tls = secure || proxy.is_some_and(OutboundProxy::uses_tls);
    Ok(if uses_tls { builder } else { builder.tls_certs_only([]) })
}

/// The innermost cause, which has the most specific message.
pub fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_made_for_https_and_for_http() {
        let proxy = OutboundProxy::new("http://proxy.example:3128", &[]).unwrap();
        for text in ["https://api.openai.com/v1/", "http://127.0.0.1:8080/v1/"] {
            let url = Url::parse(text).unwrap();
            for proxy in [None, Some(&proxy)] {
                let builder = client_builder(&url, Duration::from_secs(1), proxy).unwrap();
                assert!(builder.build().is_ok(), "{text}");
            }
        }
    }
}
