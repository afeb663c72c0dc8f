//! Sends one request with the HTTP library and reads the response.

use std::time::Duration;

use reqwest::Client;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};

use super::{Answer, Request, Unreachable, warnings};
use crate::error::Error;

/// A connection that is not established within this time will not be established.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The address of a server and the key.
pub(crate) struct Transport {
    client: Client,
    base_url: String,
    authorization: Option<HeaderValue>,
    show_warning: fn(&str),
}

impl Transport {
    pub(crate) fn new(
        base_url: String,
        key: Option<SecretString>,
        client: Option<Client>,
    ) -> Result<Self, Error> {
        let client = match client {
            Some(client) => client,
            None => own_client(base_url.starts_with("https:"))?,
        };
        let bearer = key.map(|key| HeaderValue::from_str(&format!("Bearer {}", key.expose_secret())));
        let authorization = bearer
            .transpose()
            .map_err(|_| Error::configuration("the API key contains invalid characters", "Copy it again."))?;
        // Sensitive values do not appear in `Debug` output and logs of the library.
        let authorization = authorization.map(|mut value| {
            value.set_sensitive(true);
            value
        });
        Ok(Self { client, base_url, authorization, show_warning: warnings::log })
    }

    /// Shows warnings of the server with `show` instead of the log.
    pub(crate) fn on_warning(self, show: Option<fn(&str)>) -> Self {
        Self { show_warning: show.unwrap_or(self.show_warning), ..self }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Sends a request and reads the whole response, within `left`.
    pub(crate) async fn send(&self, request: &Request, left: Duration) -> Result<Answer, Unreachable> {
        let url = format!("{}{}", self.base_url, request.path);
        let mut builder = self.client.request(request.method.clone(), url).timeout(left);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        if let Some(authorization) = self.authorization.as_ref().filter(|_| request.authorized) {
            builder = builder.header(AUTHORIZATION, authorization);
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        let response = builder.send().await.map_err(|error| unreachable(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        warnings::show_once(&headers, self.show_warning);
        let body = response.bytes().await.map_err(|error| unreachable(&error))?;
        Ok(Answer { status, headers, body })
    }
}

/// Follows no redirects: a redirect could send the key to another server.
fn own_client(encrypted: bool) -> Result<Client, Error> {
    // Fails only if the process already has a provider, which works too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("reflect-sdk/", env!("CARGO_PKG_VERSION"), " rust"))
        .connect_timeout(CONNECT_TIMEOUT)
        .no_proxy()
        .redirect(Policy::none());
    // Without TLS no certificates are needed, so a system without certificates works too.
    let builder = if encrypted { builder } else { builder.tls_certs_only([]) };
    builder.build().map_err(|error| {
        let message = format!("the HTTP client cannot be created: {}", innermost(&error));
        Error::configuration(message, "Set http_client of the builder.")
    })
}

fn unreachable(error: &reqwest::Error) -> Unreachable {
    // A request that could not be built was not sent.
    let sent = !error.is_connect() && !error.is_builder();
    Unreachable { reason: innermost(error), sent, timed_out: error.is_timeout() }
}

/// The root cause, which has the most specific message.
fn innermost(error: &dyn std::error::Error) -> String {
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
    fn clients_are_made_for_https_and_for_http() {
        assert!(own_client(true).is_ok());
        assert!(own_client(false).is_ok());
    }
}
