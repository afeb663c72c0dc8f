//! Setup: creates the first member, with the link from the server's log.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::form::{LinkQuery, SubmittedForm, redirect_with_session, user_agent};
use super::frame::{Frame, send};
use crate::app::App;
use crate::error::ApiError;
use crate::http::origin::Origin;

const CLOSED: &str = "This link is not valid or has expired.";

#[derive(Debug, Template)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    frame: &'a Frame,
    link: &'a str,
    name: &'a str,
    open: bool,
    problem: Option<String>,
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    query: Result<Query<LinkQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let link = query.map(|Query(query)| query.t).unwrap_or_default();
    let works =
        !link.is_empty() && app.engine.sessions.link_facts(&link).await?.is_some_and(|facts| facts.for_setup);
    let problem = (!works && !link.is_empty()).then(|| CLOSED.to_owned());
    let status = if problem.is_some() { StatusCode::GONE } else { StatusCode::OK };
    show(&app, status, &link, "", works, problem)
}

pub(crate) async fn set_up(
    State(app): State<Arc<App>>,
    Origin(origin): Origin,
    headers: HeaderMap,
    sent: Result<Form<SubmittedForm>, FormRejection>,
) -> Result<Response, ApiError> {
    let sent = SubmittedForm::checked(sent, &headers, &app)?;
    let link = sent.link();
    let name = match sent.name.parse() {
        Ok(name) => name,
        Err(error) => {
            let problem = Some(format!("The name {error}."));
            return show(&app, StatusCode::UNPROCESSABLE_ENTITY, link, &sent.name, true, problem);
        }
    };
    match app.engine.sessions.set_up(link, name, user_agent(&headers), origin).await? {
        Some(signed_in) => Ok(redirect_with_session(&signed_in, &app.settings)),
        None => show(&app, StatusCode::GONE, "", "", false, Some(CLOSED.to_owned())),
    }
}

fn show(
    app: &App,
    status: StatusCode,
    link: &str,
    name: &str,
    open: bool,
    problem: Option<String>,
) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    send(status, &SetupPage { frame: &frame, link, name, open, problem }, &frame, &app.settings)
}
