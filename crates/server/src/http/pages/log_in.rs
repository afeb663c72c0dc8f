//! Signing in. Opening a link spends nothing, because programs that preview links open them too; the button does.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::form::{LinkQuery, Sent, enter, go, user_agent};
use super::frame::{Frame, send};
use crate::app::App;
use crate::http::cookie::Kept;
use crate::http::error::ApiError;
use crate::http::request_id::RequestId;

const SPENT: &str = "This link does not work, or does not work any more. Ask for a new one.";

#[derive(Debug, Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    frame: &'a Frame,
    link: &'a str,
    name: Option<String>,
    trouble: Option<&'static str>,
}

pub(super) async fn page(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    query: Result<Query<LinkQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let link = query.map(|Query(query)| query.t).unwrap_or_default();
    let facts = match link.is_empty() {
        true => None,
        false => app.engine.link_facts(&link).await?,
    };
    if facts.as_ref().is_some_and(|facts| facts.for_setup) {
        return Ok(go(&format!("/setup?t={link}"), None, &app.settings));
    }
    let name = facts.and_then(|facts| facts.name);
    let trouble = (name.is_none() && !link.is_empty()).then_some(SPENT);
    // Whoever opens the link of their terminal a second time wants to go in, and is in.
    if trouble.is_some()
        && let Some(session) = Kept::Session.read(&headers, &app.settings)
        && app.engine.authenticate_session(session).await.is_ok()
    {
        return Ok(go("/", None, &app.settings));
    }
    show(&app, StatusCode::OK, &link, name, trouble)
}

pub(super) async fn log_in(
    State(app): State<Arc<App>>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Result<Response, ApiError> {
    let sent = Sent::checked(sent, &headers, &app)?;
    let earlier = Kept::Session.read(&headers, &app.settings);
    let come_in = app.engine.sign_in(sent.link(), earlier, user_agent(&headers), Some(request_id.0)).await?;
    match come_in {
        Some(come_in) => Ok(enter(&come_in.session, &app.settings)),
        None => show(&app, StatusCode::UNAUTHORIZED, "", None, Some(SPENT)),
    }
}

fn show(
    app: &App,
    status: StatusCode,
    link: &str,
    name: Option<String>,
    trouble: Option<&'static str>,
) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    send(status, &LoginPage { frame: &frame, link, name, trouble }, &frame, &app.settings)
}
