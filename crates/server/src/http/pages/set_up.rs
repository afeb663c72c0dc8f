//! The first member of an installation, for whoever has the link from its log.

use std::sync::Arc;

use askama::Template;
use axum::Extension;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::form::{LinkQuery, Sent, enter, user_agent};
use super::frame::{Frame, send};
use crate::app::App;
use crate::http::error::ApiError;
use crate::http::request_id::RequestId;

const CLOSED: &str = "This link does not work, or does not work any more.";

#[derive(Debug, Template)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    frame: &'a Frame,
    link: &'a str,
    name: &'a str,
    open: bool,
    trouble: Option<String>,
}

pub(super) async fn page(
    State(app): State<Arc<App>>,
    query: Result<Query<LinkQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let link = query.map(|Query(query)| query.t).unwrap_or_default();
    let works = !link.is_empty() && app.engine.link_facts(&link).await?.is_some_and(|facts| facts.for_setup);
    let trouble = (!works && !link.is_empty()).then(|| CLOSED.to_owned());
    let status = if trouble.is_some() { StatusCode::GONE } else { StatusCode::OK };
    show(&app, status, &link, "", works, trouble)
}

pub(super) async fn set_up(
    State(app): State<Arc<App>>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    sent: Result<Form<Sent>, FormRejection>,
) -> Result<Response, ApiError> {
    let sent = Sent::checked(sent, &headers, &app)?;
    let link = sent.link();
    let name = match sent.name.parse() {
        Ok(name) => name,
        Err(error) => {
            let trouble = Some(format!("The name {error}."));
            return show(&app, StatusCode::UNPROCESSABLE_ENTITY, link, &sent.name, true, trouble);
        }
    };
    match app.engine.set_up(link, name, user_agent(&headers), Some(request_id.0)).await? {
        Some(come_in) => Ok(enter(&come_in.session, &app.settings)),
        None => show(&app, StatusCode::GONE, "", "", false, Some(CLOSED.to_owned())),
    }
}

fn show(
    app: &App,
    status: StatusCode,
    link: &str,
    name: &str,
    open: bool,
    trouble: Option<String>,
) -> Result<Response, ApiError> {
    let frame = Frame::new(&app.settings);
    send(status, &SetupPage { frame: &frame, link, name, open, trouble }, &frame, &app.settings)
}
