//! Requests and responses as plain data.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// One HTTP request. `path` starts with a slash and is already encoded.
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Bytes>,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Whether it is safe to send the request again if it may have arrived.
    pub(crate) repeatable: bool,
    /// Whether the request contains the key.
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
                format!("the request cannot be serialised as JSON: {error}"),
                "Use only values that JSON supports.",
            )
        })?;
        self.body = Some(encoded.into());
        Ok(self)
    }

    /// With this key, the server applies the request once, even if it is sent several times.
    pub(crate) fn once(mut self, idempotency_key: impl ToString) -> Self {
        self.headers.push(("idempotency-key", idempotency_key.to_string()));
        self
    }
}

/// A response.
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

/// A network error.
#[derive(Debug, Clone)]
pub(crate) struct Unreachable {
    pub(crate) reason: String,
    /// `false` if the request was certainly not sent.
    pub(crate) sent: bool,
    pub(crate) timed_out: bool,
}

/// Checks that a response has one result for each of the `expected` entries of its request.
pub(crate) fn counted<T>(call: &'static str, results: Vec<T>, expected: usize) -> Result<Vec<T>, Error> {
    if results.len() == expected {
        return Ok(results);
    }
    let reason = format!("{} results for {expected} entries", results.len());
    Err(Error::Unreadable { call, reason, request_id: None })
}
