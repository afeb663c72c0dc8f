//! What every page has around it: its policy, its nonce, and the token by which its form is known.

use askama::Template;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rand::distr::{Alphanumeric, SampleString};

use crate::app::ServerSettings;
use crate::http::cookie::Kept;
use crate::http::error::ApiError;
use crate::http::system::OwnBody;

/// 128 bits, and more.
const RANDOM: usize = 24;

/// What a template needs beside its own.
#[derive(Debug)]
pub(super) struct Frame {
    /// Where a proxy shows the server.
    pub(super) base: String,
    /// Lets this page's own style pass its policy.
    pub(super) nonce: String,
    /// Comes back with the form, and by the cookie.
    pub(super) form: String,
}

impl Frame {
    pub(super) fn new(settings: &ServerSettings) -> Self {
        Self { base: settings.base_path.clone(), nonce: random(), form: random() }
    }
}

pub(super) fn random() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), RANDOM)
}

/// What a page may do: run and load what comes from here, and nothing that was put into it.
pub(super) fn policy(nonce: &str) -> Option<HeaderValue> {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; \
         connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'"
    );
    HeaderValue::from_str(&policy).ok()
}

/// Sends a page, with the cookie that its form will have to bring.
pub(super) fn send(
    status: StatusCode,
    page: &impl Template,
    frame: &Frame,
    settings: &ServerSettings,
) -> Result<Response, ApiError> {
    let html = page.render().map_err(|error| {
        tracing::error!(%error, "a page could not be written");
        ApiError::internal()
    })?;
    let mut response = (status, html).into_response();
    // The body of an error is this page.
    response.extensions_mut().insert(OwnBody);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(policy) = policy(&frame.nonce) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if let Some(cookie) = Kept::Form.keep(&frame.form, None, settings) {
        headers.insert(SET_COOKIE, cookie);
    }
    Ok(response)
}
