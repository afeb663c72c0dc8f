//! Forms that come back: only those of a page that this server sent to this browser.

use axum::extract::Form;
use axum::extract::rejection::FormRejection;
use axum::http::header::{LOCATION, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use reflect_engine::SESSION_LASTS;
use serde::Deserialize;

use crate::app::{App, ServerSettings};
use crate::http::cookie::Kept;
use crate::http::error::ApiError;
use crate::http::same_site::is_ours;

/// Any of our forms.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Sent {
    /// The page's own token.
    #[serde(default)]
    form: String,
    /// The link, or what stands behind its `t=`.
    #[serde(default)]
    t: String,
    /// A name.
    #[serde(default)]
    pub(super) name: String,
}

/// A link by itself, in a query.
#[derive(Debug, Default, Deserialize)]
pub(super) struct LinkQuery {
    #[serde(default)]
    pub(super) t: String,
}

impl Sent {
    /// The form, if a page of ours sent it: the browser's cookie and the page's token are the same, and the browser
    /// does not say that it comes from elsewhere. A page of another site can neither read the one nor set the other.
    pub(super) fn checked(
        sent: Result<Form<Self>, FormRejection>,
        headers: &HeaderMap,
        app: &App,
    ) -> Result<Self, ApiError> {
        let cross_site = || {
            let message = "the form does not come from a page of this server; go back, reload and try again";
            ApiError::new(StatusCode::FORBIDDEN, "cross_site", message)
        };
        if headers.contains_key("sec-fetch-site") && !is_ours(headers, None) {
            return Err(cross_site());
        }
        let Form(sent) = sent.map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        let kept = Kept::Form.read(headers, &app.settings).unwrap_or_default();
        if kept.is_empty() || kept != sent.form {
            return Err(cross_site());
        }
        Ok(sent)
    }

    /// The secret of the link, however much of it was pasted.
    pub(super) fn link(&self) -> &str {
        let text = self.t.trim();
        let secret = text.rsplit_once("t=").map_or(text, |(_, secret)| secret);
        secret.split(['&', '#']).next().unwrap_or_default()
    }
}

/// How the browser names itself.
pub(super) fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT).and_then(|value| value.to_str().ok())
}

/// Into the console, with the session to keep.
pub(super) fn enter(session: &str, settings: &ServerSettings) -> Response {
    let cookie = Kept::Session.keep(session, Some(SESSION_LASTS.as_secs()), settings);
    go("/", cookie, settings)
}

/// To another page. The cookies that are given with it are kept.
pub(super) fn go(path: &str, cookie: Option<HeaderValue>, settings: &ServerSettings) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::from_str(&settings.path_of(path)) {
        headers.insert(LOCATION, place);
    }
    headers.extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_may_be_pasted_whole_or_in_part() {
        for text in ["abc", " abc ", "https://reflect.example/login?t=abc", "/login?t=abc&x=1", "?t=abc#top"]
        {
            let sent = Sent { t: text.to_owned(), ..Sent::default() };
            assert_eq!(sent.link(), "abc", "{text}");
        }
    }
}
