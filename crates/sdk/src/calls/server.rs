//! Calls about the server itself. They need no key.

use reflect_api::{Health, Readiness};
use serde_json::Value;

use crate::connection::Connection;
use crate::error::Error;
use crate::wire::{CallPolicy, Request};

/// Calls about the server itself, which need no key: `client.server`.
#[derive(Debug, Clone)]
pub struct ServerCalls {
    pub(crate) connection: Connection,
}

impl ServerCalls {
    /// Whether the server is alive, and its version.
    pub async fn health(&self) -> Result<Health, Error> {
        self.connection.ask("health", open("/health")).await
    }

    /// Whether the server is ready. `draining` and `unavailable` are results, not errors.
    pub async fn ready(&self) -> Result<Readiness, Error> {
        // A retry would hide the state that the caller wants to know.
        let policy = CallPolicy { max_retries: 0, ..self.connection.settings().policy };
        self.connection.exchange("ready", policy, Some(503)).run(&open("/ready")).await?.json("ready")
    }

    /// The metrics of the server in the Prometheus format.
    pub async fn metrics(&self) -> Result<String, Error> {
        let answer = self.connection.answer("metrics", open("/metrics")).await?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    /// The OpenAPI document of the server.
    pub async fn openapi(&self) -> Result<Value, Error> {
        self.connection.ask("openapi", open("/openapi.json")).await
    }
}

/// A request without the key.
fn open(path: &str) -> Request {
    Request { authorized: false, ..Request::get(path.to_owned()) }
}
