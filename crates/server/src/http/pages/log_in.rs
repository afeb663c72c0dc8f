//! Signing in. Opening a link does not use it up, because link previews open links too. The button does.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use reflect_engine::SignInProvider;

use super::form::{LinkQuery, SubmittedForm, redirect, redirect_with_session, user_agent};
use super::frame::{Frame, send};
use crate::app::App;
use crate::error::ApiError;
use crate::http::cookie::Cookie;
use crate::http::origin::Origin;

const SPENT: &str = "This link is not valid or has expired. Ask an admin for a new one.";

#[derive(Debug, Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    frame: &'a Frame,
    link: &'a str,
    name: Option<String>,
    problem: Option<&'a str>,
    providers: &'a [SignInProvider],
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    query: Result<Query<LinkQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let link = query.map(|Query(query)| query.t).unwrap_or_default();
    let facts = match link.is_empty() {
        true => None,
        false => app.engine.sessions.link_facts(&link).await?,
    };
    if facts.as_ref().is_some_and(|facts| facts.for_setup) {
        return Ok(redirect(&format!("/setup?t={link}"), None, &app.settings));
    }
    let name = facts.and_then(|facts| facts.name);
    let problem = (name.is_none() && !link.is_empty()).then_some(SPENT);
    // A signed-in member who opens a used link again goes to the console.
    if problem.is_some()
        && let Some(session) = Cookie::Session.read(&headers, &app.settings)
        && app.engine.access.authenticate_session(session).await.is_ok()
    {
        return Ok(redirect("/", None, &app.settings));
    }
    show(&app, StatusCode::OK, &link, name, problem)
}

pub(crate) async fn log_in(
    State(app): State<Arc<App>>,
    Origin(origin): Origin,
    headers: HeaderMap,
    sent: Result<Form<SubmittedForm>, FormRejection>,
) -> Result<Response, ApiError> {
    let sent = SubmittedForm::checked(sent, &headers, &app)?;
    let earlier = Cookie::Session.read(&headers, &app.settings);
    let signed_in = app.engine.sessions.sign_in(sent.link(), earlier, user_agent(&headers), origin).await?;
    match signed_in {
        Some(signed_in) => Ok(redirect_with_session(&signed_in, &app.settings)),
        None => show(&app, StatusCode::UNAUTHORIZED, "", None, Some(SPENT)),
    }
}

pub(super) fn show(
    app: &App,
    status: StatusCode,
    link: &str,
    name: Option<String>,
    problem: Option<&str>,
) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    let providers = app.engine.provider_sign_in.providers();
    send(status, &LoginPage { frame: &frame, link, name, problem, providers }, &frame, &app.settings)
}
