//! Signing out without scripts.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::form::{SubmittedForm, redirect};
use super::frame::{Frame, send};
use crate::app::App;
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::origin::Origin;

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
    if let Some(session) = Cookie::Session.read(&headers, &app.settings) {
        // A session that has already ended is no error.
        if let Ok(holder) = app.engine.access.authenticate_session(session).await {
            app.engine.sessions.sign_out(&holder, origin).await?;
        }
    }
    Ok(redirect("/login", Cookie::Session.set("", Some(0), &app.settings), &app.settings))
}
