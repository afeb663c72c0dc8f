//! The HTTP library, and nothing decided: one request goes out, one answer comes back.

use std::time::Duration;

use reqwest::Client;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret, SecretString};

use super::{Answer, Request, Unreachable};
use crate::Error;

/// Connecting takes milliseconds or never happens.
const LONGEST_CONNECT: Duration = Duration::from_secs(5);

/// A server and the key to it.
pub(crate) struct Transport {
    client: Client,
    base_url: String,
    authorization: Option<HeaderValue>,
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
        let authorization = bearer.transpose().map_err(|_| {
            Error::configuration("the API key holds characters that no key has", "Copy it again.")
        })?;
        // So that the library's own logs and Debug leave it out.
        let authorization = authorization.map(|mut value| {
            value.set_sensitive(true);
            value
        });
        Ok(Self { client, base_url, authorization })
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Sends a request and reads the whole answer, in `left` at the longest.
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
        let body = response.bytes().await.map_err(|error| unreachable(&error))?;
        Ok(Answer { status, headers, body })
    }
}

/// Goes where it is told and nowhere else: a redirect could carry the key away.
fn own_client(encrypted: bool) -> Result<Client, Error> {
    // Fails only where the process has a provider already, which is just as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("reflect-sdk/", env!("CARGO_PKG_VERSION"), " rust"))
        .connect_timeout(LONGEST_CONNECT)
        .no_proxy()
        .redirect(Policy::none());
    // A system without certificates can still talk to a server that is spoken to in the clear.
    let builder = if encrypted { builder } else { builder.tls_certs_only([]) };
    builder.build().map_err(|error| {
        let message = format!("the HTTP client cannot be made: {}", innermost(&error));
        Error::configuration(message, "Give an http_client of your own to the builder.")
    })
}

fn unreachable(error: &reqwest::Error) -> Unreachable {
    // A request that could not even be put together was not sent either.
    let sent = !error.is_connect() && !error.is_builder();
    Unreachable { reason: innermost(error), sent, timed_out: error.is_timeout() }
}

/// The cause of all causes, which is the one that says something.
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
