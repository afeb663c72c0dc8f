//! Signing out without scripts.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use reflect_engine::ProviderSignOut;

use super::form::{SubmittedForm, redirect};
use super::frame::{Frame, send};
use crate::app::App;
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::origin::Origin;

/// After a sign-out of a session that an identity provider started.
#[derive(Debug, Template)]
#[template(path = "signed_out.html")]
struct SignedOutPage<'a> {
    frame: &'a Frame,
    provider: &'a ProviderSignOut,
}

#[derive(Debug, Template)]
#[template(path = "logout.html")]
struct LogoutPage<'a> {
    frame: &'a Frame,
}

pub(crate) async fn page(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    send(StatusCode::OK, &LogoutPage { frame: &frame }, &frame, &app.settings)
}

pub(crate) async fn log_out(
    State(app): State<Arc<App>>,
    Origin(origin): Origin,
    headers: HeaderMap,
    sent: Result<Form<SubmittedForm>, FormRejection>,
) -> Result<Response, ApiError> {
    SubmittedForm::checked(sent, &headers, &app)?;
    let mut provider = None;
    if let Some(session) = Cookie::Session.read(&headers, &app.settings) {
        // A session that has already ended is no error.
        if let Ok(holder) = app.engine.access.authenticate_session(session).await {
            provider = app.engine.provider_sign_in.sign_out(&holder).await?;
            app.engine.sessions.sign_out(&holder, origin).await?;
        }
    }
    let deleted = Cookie::Session.set("", Some(0), &app.settings);
    let Some(provider) = &provider else { return Ok(redirect("/login", deleted, &app.settings)) };
    // A page with a link: the content security policy does not let a form lead to another site.
    let frame = Frame::new(&app.settings);
    let page = SignedOutPage { frame: &frame, provider };
    let mut response = send(StatusCode::OK, &page, &frame, &app.settings)?;
    if let Some(deleted) = deleted {
        response.headers_mut().append(SET_COOKIE, deleted);
    }
    Ok(response)
}
