//! The client: one request, with limits on addresses, time and size.

use std::time::Duration;

use reflect_outbound::{
    AddressGuard, ForbiddenAddress, GuardedResolver, OutboundProxy, guarded_client_builder, innermost,
};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response};
use secrecy::SecretString;

use crate::signature::sign;
use crate::url::{self, InvalidWebhookUrl};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The time for one attempt, from the name to the end of the answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// So much of an answer is read, so that the connection can be used again. Longer answers end it.
const LONGEST_ANSWER: usize = 4096;
/// A receiver that restarts closes its connections: those that rest are closed before.
const IDLE: Duration = Duration::from_secs(20);
const IDLE_PER_HOST: usize = 4;

/// Sends webhooks. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebhookClient {
    guard: AddressGuard,
    secure: Client,
    /// For the networks that the operator allows.
    plain: Client,
    /// The host of the proxy.
    proxy: Option<String>,
    timeout: Duration,
}

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct WebhookRequest<'a> {
    /// Where it goes.
    pub url: &'a str,
    /// The id of the event: the same in every attempt.
    pub id: &'a str,
    /// The time of the attempt, in seconds since 1970.
    pub timestamp: u64,
    /// JSON.
    pub body: &'a [u8],
    /// With which it is signed.
    pub secrets: &'a [SecretString],
}

/// The answer of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// Its status.
    pub status: u16,
    /// How long the receiver asks to wait.
    pub retry_after: Option<Duration>,
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The address is not permitted.
    #[error("the address {0}")]
    Url(InvalidWebhookUrl),
    /// The host has an address that is not permitted.
    #[error(transparent)]
    Address(ForbiddenAddress),
    /// There was no complete answer in time.
    #[error("no answer in time")]
    Timeout,
    /// The host does not exist, does not accept connections, or ended the connection.
    #[error("{0}")]
    Failed(String),
}

impl WebhookClient {
    /// A client that reaches the public internet and what the guard permits, through the proxy if there is one.
    ///
    /// Behind a proxy the names of hosts are resolved there, so the proxy has to refuse addresses.
    pub fn new(guard: AddressGuard, proxy: Option<&OutboundProxy>) -> Result<Self, reqwest::Error> {
        let resolver = GuardedResolver::new(guard.clone(), proxy);
        let secure = client(resolver.clone(), proxy)?;
        let plain = client(resolver.listed_only(), proxy)?;
        let proxy = proxy.and_then(|proxy| proxy.host().map(str::to_owned));
        Ok(Self { guard, secure, plain, proxy, timeout: TIMEOUT })
    }

    /// Waits for an answer no longer than this.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Whether an endpoint may have this address. Names are resolved when a request is sent.
    pub fn check_url(&self, text: &str) -> Result<(), InvalidWebhookUrl> {
        url::check(text, &self.guard, self.proxy.as_deref()).map(drop)
    }

    /// Sends one request, without retries.
    pub async fn send(&self, request: WebhookRequest<'_>) -> Result<WebhookAnswer, SendError> {
        // Checked again: the settings of the operator may have changed.
        let url = url::check(request.url, &self.guard, self.proxy.as_deref()).map_err(SendError::Url)?;
        let WebhookRequest { id, timestamp, body, secrets, .. } = request;
        let client = if url.scheme() == "https" { &self.secure } else { &self.plain };
        let sent = client
            .post(url)
            .timeout(self.timeout)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", sign(secrets, id, timestamp, body))
            .body(body.to_vec())
            .send();
        let response = sent.await.map_err(|error| reason(&error))?;
        let retry_after =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let answer = WebhookAnswer {
            status: response.status().as_u16(),
            retry_after: retry_after.map(Duration::from_secs),
        };
        skip_body(response).await;
        Ok(answer)
    }
}

fn client(resolver: GuardedResolver, proxy: Option<&OutboundProxy>) -> Result<Client, reqwest::Error> {
    guarded_client_builder(resolver, CONNECT_TIMEOUT, proxy)?
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .build()
}

/// Reads the rest of a short answer. The status is known, so errors do not matter.
async fn skip_body(mut response: Response) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read > LONGEST_ANSWER {
            return;
        }
    }
}

fn reason(error: &reqwest::Error) -> SendError {
    if error.is_timeout() {
        return SendError::Timeout;
    }
    if let Some(forbidden) = cause::<ForbiddenAddress>(error) {
        return SendError::Address(*forbidden);
    }
    SendError::Failed(match (error.is_connect(), innermost(error)) {
        (true, why) => format!("cannot connect: {why}"),
        (false, why) => format!("the connection failed: {why}"),
    })
}

fn cause<T: std::error::Error + 'static>(error: &dyn std::error::Error) -> Option<&T> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        source = cause.source();
    }
    None
}
