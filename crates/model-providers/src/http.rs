//! The HTTP client of all calls.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use crate::settings::SettingsError;

/// Creates a client that follows no redirects and uses no proxy.
pub(crate) fn client(url: &Url, connect_timeout: Duration) -> Result<Client, SettingsError> {
    // Fails only if the process already has a crypto provider, which works as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("reflect/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect_timeout)
        .no_proxy()
        .redirect(Policy::none())
        // A few compressed kilobytes could expand to gigabytes.
        .no_gzip();
    // Certificates are verified against the certificate store of the system. A system without one can still use plain
    // HTTP.
    let builder = if url.scheme() == "https" { builder } else { builder.tls_certs_only([]) };
    builder.build().map_err(|error| SettingsError::NoClient(innermost(&error)))
}

/// The innermost cause, which has the most specific message.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
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
        for text in ["https://api.openai.com/v1/", "http://127.0.0.1:8080/v1/"] {
            let url = Url::parse(text).unwrap();
            assert!(client(&url, Duration::from_secs(1)).is_ok(), "{text}");
        }
    }
}
