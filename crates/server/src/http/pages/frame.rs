//! The common parts of all pages: content security policy, nonce and form token.

use askama::Template;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rand::distr::{Alphanumeric, SampleString};

use crate::app::ServerSettings;
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::system::OwnBody;

/// More than 128 bits.
const RANDOM: usize = 24;

/// Values that all templates need.
#[derive(Debug)]
pub(super) struct Frame {
    /// The path prefix of the reverse proxy.
    pub(super) base: String,
    /// Allows the page's inline style.
    pub(super) nonce: String,
    /// The form token, which the form and the cookie send back.
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

/// The content security policy: only scripts and resources of this server, and no injected ones.
pub(super) fn policy(nonce: &str) -> Option<HeaderValue> {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; \
         connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'"
    );
    HeaderValue::from_str(&policy).ok()
}

/// Sends a page and the cookie for its form.
pub(super) fn send(
    status: StatusCode,
    page: &impl Template,
    frame: &Frame,
    settings: &ServerSettings,
) -> Result<Response, ApiError> {
    let html = page.render().map_err(|error| {
        tracing::error!(%error, "a page could not be rendered");
        ApiError::internal()
    })?;
    let mut response = (status, html).into_response();
    // This page is also the body of an error response.
    response.extensions_mut().insert(OwnBody);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(policy) = policy(&frame.nonce) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    if let Some(cookie) = Cookie::Form.set(&frame.form, None, settings) {
        headers.insert(SET_COOKIE, cookie);
    }
    Ok(response)
}
