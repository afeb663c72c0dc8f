//! Signing in with an identity provider: to the provider, and back.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use reflect_engine::{SignInError, SigningInBrowser};
use reflect_oidc::ProviderAnswer;

use super::form::{redirect_with_session, user_agent};
use super::log_in;
use crate::app::App;
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::origin::Origin;

/// How long a person may take at the provider.
const SIGN_IN_SECONDS: u64 = 10 * 60;

/// Sends the browser to the provider.
pub(crate) async fn start(
    State(app): State<Arc<App>>,
    Path(provider): Path<String>,
) -> Result<Response, ApiError> {
    let started = match app.engine.provider_sign_in.start(&provider).await {
        Ok(started) => started,
        Err(error) => return failed(&app, error),
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    let location = HeaderValue::from_str(&started.url).map_err(|_| ApiError::internal())?;
    response.headers_mut().insert(LOCATION, location);
    let cookie = Cookie::SignIn.set(&started.secret, Some(SIGN_IN_SECONDS), &app.settings);
    response.headers_mut().extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    Ok(response)
}

/// Receives the browser from the provider.
pub(crate) async fn finish(
    State(app): State<Arc<App>>,
    Origin(origin): Origin,
    Path(provider): Path<String>,
    headers: HeaderMap,
    answer: Result<Query<ProviderAnswer>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(answer) = answer?;
    let browser = SigningInBrowser {
        secret: Cookie::SignIn.read(&headers, &app.settings),
        earlier: Cookie::Session.read(&headers, &app.settings),
        user_agent: user_agent(&headers),
    };
    let finished = app.engine.provider_sign_in.finish(&provider, browser, &answer, origin).await;
    let mut response = match finished {
        Ok(started) => redirect_with_session(&started, &app.settings),
        Err(error) => failed(&app, error)?,
    };
    // A sign-in is used once.
    if let Some(cookie) = Cookie::SignIn.set("", Some(0), &app.settings) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The sign-in page with the reason.
fn failed(app: &App, error: SignInError) -> Result<Response, ApiError> {
    let status = match error {
        SignInError::Store(error) => return Err(error.into()),
        SignInError::UnknownProvider => StatusCode::NOT_FOUND,
        SignInError::NotStarted | SignInError::Refused(_) => StatusCode::UNAUTHORIZED,
        SignInError::Unreachable(_) | SignInError::Unusable(_) => StatusCode::BAD_GATEWAY,
        SignInError::NotAllowed { .. } | SignInError::Disabled(_) => StatusCode::FORBIDDEN,
        SignInError::NameTaken => StatusCode::CONFLICT,
    };
    log_in::show(app, status, "", None, Some(&error.to_string()))
}
