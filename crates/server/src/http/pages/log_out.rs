//! Signing out, also without scripts.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::form::{Sent, go};
use super::frame::{Frame, send};
use crate::app::App;
use crate::http::cookie::Kept;
use crate::http::error::ApiError;
use crate::http::request_id::RequestId;

#[derive(Debug, Template)]
#[template(path = "logout.html")]
struct LogoutPage<'a> {
    frame: &'a Frame,
}

pub(super) async fn page(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    send(StatusCode::OK, &LogoutPage { frame: &frame }, &frame, &app.settings)
}

pub(super) async fn log_out(
    State(app): State<Arc<App>>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Result<Response, ApiError> {
    Sent::checked(sent, &headers, &app)?;
    if let Some(session) = Kept::Session.read(&headers, &app.settings) {
        // A session that has ended already is as good.
        if let Ok(holder) = app.engine.authenticate_session(session).await {
            app.engine.sign_out(&holder, Some(request_id.0)).await?;
        }
    }
    Ok(go("/login", Kept::Session.keep("", Some(0), &app.settings), &app.settings))
}
