//! Requests and answers as plain data.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// One HTTP request. `path` begins with a slash and is encoded already.
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// May be sent again when nobody knows whether it arrived.
    pub(crate) repeatable: bool,
    /// Whether the key goes with it.
    pub(crate) authorized: bool,
}

impl Request {
    pub(crate) fn new(method: Method, path: String) -> Self {
        Self { method, path, body: None, headers: Vec::new(), repeatable: true, authorized: true }
    }

    pub(crate) fn get(path: String) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn delete(path: String) -> Self {
        Self::new(Method::DELETE, path)
    }

    pub(crate) fn post(path: String, body: &impl Serialize) -> Result<Self, Error> {
        Self::new(Method::POST, path).with_body(body)
    }

    pub(crate) fn with_body(mut self, body: &impl Serialize) -> Result<Self, Error> {
        let encoded = serde_json::to_vec(body).map_err(|error| {
            Error::configuration(
                format!("the request cannot be written as JSON: {error}"),
                "Send plain data.",
            )
        })?;
        self.body = Some(encoded.into());
        Ok(self)
    }

    /// Under this key the effect happens once, however often the request is sent.
    pub(crate) fn once(mut self, idempotency_key: impl ToString) -> Self {
        self.headers.push(("idempotency-key", idempotency_key.to_string()));
        self
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, call: &'static str) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::Unreadable {
            call,
            reason: error.to_string(),
            request_id: self.header("x-request-id").map(str::to_owned),
        })
    }
}

/// The network failed.
#[derive(Debug, Clone)]
pub(crate) struct Unreachable {
    pub(crate) reason: String,
    /// False when the request surely did not arrive.
    pub(crate) sent: bool,
    pub(crate) timed_out: bool,
}
