//! Submitted forms. Only forms of a page that this server sent to this browser are accepted.

use axum::extract::Form;
use axum::extract::rejection::FormRejection;
use axum::http::header::{LOCATION, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use reflect_engine::StartedSession;
use serde::Deserialize;

use crate::app::{App, ServerSettings};
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::same_site::is_same_origin;

/// The fields of all forms.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SubmittedForm {
    /// The form token of the page.
    #[serde(default)]
    form: String,
    /// The link, or the part after its `t=`.
    #[serde(default)]
    t: String,
    /// The name.
    #[serde(default)]
    pub(super) name: String,
}

/// A link in a query.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct LinkQuery {
    #[serde(default)]
    pub(super) t: String,
}

impl SubmittedForm {
    /// The form, if a page of this server sent it: the cookie and the form token match, and the browser does not report
    /// another origin. A page of another site cannot read the token or set the cookie.
    pub(super) fn checked(
        sent: Result<Form<Self>, FormRejection>,
        headers: &HeaderMap,
        app: &App,
    ) -> Result<Self, ApiError> {
        let cross_site = || {
            let message = "the form does not come from a page of this server; reload the page and try again";
            ApiError::new(StatusCode::FORBIDDEN, "cross_site", message)
        };
        if headers.contains_key("sec-fetch-site") && !is_same_origin(headers, None) {
            return Err(cross_site());
        }
        let Form(sent) = sent.map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        let kept = Cookie::Form.read(headers, &app.settings).unwrap_or_default();
        if kept.is_empty() || kept != sent.form {
            return Err(cross_site());
        }
        Ok(sent)
    }

    /// The secret of the link, which may be pasted as a whole or in part.
    pub(super) fn link(&self) -> &str {
        let text = self.t.trim();
        let secret = text.rsplit_once("t=").map_or(text, |(_, secret)| secret);
        secret.split(['&', '#']).next().unwrap_or_default()
    }
}

/// The browser's `User-Agent`.
pub(super) fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(USER_AGENT).and_then(|value| value.to_str().ok())
}

/// Redirects to the console and sets the session cookie.
pub(super) fn redirect_with_session(started: &StartedSession, settings: &ServerSettings) -> Response {
    let cookie = Cookie::Session.set(&started.session, Some(started.lasts.as_secs()), settings);
    redirect("/", cookie, settings)
}

/// Redirects to another page, with an optional cookie.
pub(super) fn redirect(path: &str, cookie: Option<HeaderValue>, settings: &ServerSettings) -> Response {
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
            let sent = SubmittedForm { t: text.to_owned(), ..SubmittedForm::default() };
            assert_eq!(sent.link(), "abc", "{text}");
        }
    }
}
