//! Calls about the server itself, which need no key, and the one that makes the first.

use std::time::Duration;

use reflect_api::{Bootstrap, Bootstrapped, Health, Readiness};
use reqwest::Method;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::address::checked_base_url;
use crate::wire::{Exchange, Manners, Request, Transport};
use crate::{Error, ReflectClient};

impl ReflectClient {
    /// Makes the first project of a new server and its master key; it works once, so it is never repeated blindly.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use reflect_sdk::{ReflectClient, api::Bootstrap};
    ///
    /// let wish = Bootstrap {
    ///     user_id: "ada".into(),
    ///     project_id: "support".parse()?,
    ///     key_label: None,
    ///     environment: None,
    /// };
    /// let made = ReflectClient::bootstrap("http://localhost:8000", "the server's token", wish).await?;
    /// let client = ReflectClient::builder().api_key(made.api_key).project_id("support").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn bootstrap(
        base_url: &str,
        token: impl Into<SecretString>,
        wish: Bootstrap,
    ) -> Result<Bootstrapped, Error> {
        let transport = Transport::new(checked_base_url(base_url)?, None, None)?;
        let manners = Manners { timeout: Duration::from_secs(60), max_retries: 2 };
        let mut request = Request::new(Method::POST, "/v1/bootstrap".to_owned()).with_body(&wish)?;
        request.headers.push(("x-bootstrap-token", token.into().expose_secret().to_owned()));
        request.repeatable = false;
        let exchange = Exchange { transport: &transport, manners, call: "bootstrap", accepts: None };
        exchange.run(&request).await?.json("bootstrap")
    }

    /// Whether the server is alive, and its version.
    pub async fn health(&self) -> Result<Health, Error> {
        self.ask("health", open("/health")).await
    }

    /// Whether the server can do its work now; `draining` and `unavailable` are answers, not errors.
    pub async fn ready(&self) -> Result<Readiness, Error> {
        // Repeating would hide the answer that was asked for.
        let manners = Manners { max_retries: 0, ..self.settings().manners };
        self.exchange("ready", manners, Some(503)).run(&open("/ready")).await?.json("ready")
    }

    /// The server's metrics, as Prometheus reads them.
    pub async fn metrics(&self) -> Result<String, Error> {
        let answer = self.answer("metrics", open("/metrics")).await?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The contract as the server describes it.
    pub async fn openapi(&self) -> Result<Value, Error> {
        self.ask("openapi", open("/openapi.json")).await
    }
}

/// A request that the key need not travel with.
fn open(path: &str) -> Request {
    Request { authorized: false, ..Request::get(path.to_owned()) }
}
