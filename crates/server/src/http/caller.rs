//! Who is asking: the bearer key, or under the console's path the session, becomes a visitor of one project, or the
//! request ends here.
//!
//! Keys and sessions have a surface each: a key opens nothing under the console's path, and a cookie nothing outside
//! of it. Otherwise a page of another site could use a browser's cookie where nobody looks for it.

use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::{AuthError, MemberHolder, Visitor};
use reflect_store::Actor;
use reflect_types::{ProjectSlug, Scope};

use crate::app::App;
use crate::http::cookie::Kept;
use crate::http::error::ApiError;
use crate::http::json::is_json;
use crate::http::request_id::RequestId;
use crate::http::routes::{CONSOLE, Route, topic};
use crate::http::same_site::is_ours;
use crate::http::{Needs, find_route, mcp};

/// A visitor who was checked against the route's scope.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) visitor: Visitor,
    pub(crate) actor: Actor,
}

/// A member who is signed in, outside of any project.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(crate) holder: MemberHolder,
    pub(crate) actor: Actor,
}

/// What a request showed at the door of a project, so that one that stays open can be asked for it again.
#[derive(Clone)]
pub(crate) struct Pass {
    shown: Shown,
    slug: ProjectSlug,
    scope: Scope,
    may_make: bool,
}

#[derive(Clone)]
enum Shown {
    Key(String),
    Session(String),
}

impl Pass {
    /// Opens the door with it, now.
    pub(crate) async fn open(&self, app: &App, request_id: Option<&str>) -> Result<Visitor, ApiError> {
        match &self.shown {
            Shown::Key(key) => {
                let holder = app.engine.authenticate(key).await?;
                let visitor = app.engine.enter(&holder, &self.slug, self.may_make, request_id).await?;
                holder.may(self.scope)?;
                Ok(visitor)
            }
            Shown::Session(session) => {
                let holder = app.engine.authenticate_session(session).await?;
                let visitor = app.engine.enter_as_member(&holder, &self.slug).await?;
                holder.may(self.scope)?;
                Ok(visitor)
            }
        }
    }
}

/// Lets a request through if the route's entry in the table allows it.
pub(crate) async fn authorise(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let (route, by_session) =
        match path.strip_prefix(CONSOLE).filter(|rest| rest.starts_with("/v1/projects/")) {
            Some(rest) => (find_route(request.method(), rest), true),
            None => (find_route(request.method(), path), false),
        };
    let Some(route) = route else {
        tracing::error!(route = path, "route {path} is not in the table of routes, so nobody may use it");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", "this route is not open to anybody"));
    };
    match route.needs {
        Needs::Nothing | Needs::BootstrapToken => Ok(next.run(request).await),
        Needs::Session => {
            let session = session(&app, &request)?;
            let holder = app.engine.authenticate_session(&session).await?;
            let actor = holder.actor(request_id(&request));
            request.extensions_mut().insert(SignedIn { holder, actor });
            Ok(next.run(request).await)
        }
        Needs::Tool => {
            let request_id = request_id(&request);
            let caller = mcp::enter(&app, request.headers(), request_id).await?;
            request.extensions_mut().insert(caller);
            Ok(next.run(request).await)
        }
        Needs::Scope(scope) => {
            let shown = match by_session {
                true => Shown::Session(session(&app, &request)?),
                false => Shown::Key(bearer(request.headers())?.to_owned()),
            };
            let slug = project_in_path(&mut request, &shown, &app).await?;
            let may_make = request.method() != Method::DELETE;
            let pass = Pass { shown, slug, scope, may_make };
            let request_id = request_id(&request);
            let visitor = pass.open(&app, request_id.as_deref()).await?;
            let project = visitor.project;
            let actor = visitor.actor(request_id);
            request.extensions_mut().insert(Caller { visitor, actor });
            request.extensions_mut().insert(pass);
            let changes = is_unsafe(request.method());
            let response = next.run(request).await;
            if changes && response.status().is_success() {
                tell(&app, project, route);
            }
            Ok(response)
        }
    }
}

/// Whoever looks on learns that something changed, whichever route changed it.
fn tell(app: &App, project: reflect_types::ProjectId, route: &Route) {
    if let Some(topic) = topic(route) {
        app.engine.tell(project, topic, None);
    }
}

fn request_id(request: &Request) -> Option<String> {
    request.extensions().get::<RequestId>().map(|id| id.0.clone())
}

fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let missing = || {
        let message = "send an API key as `Authorization: Bearer rf_live_…`";
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    };
    let header = headers.get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, key) = header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(key.trim()) } else { Err(missing()) }
}

/// What the browser keeps of its session, from a request that a page of ours made.
fn session(app: &App, request: &Request) -> Result<String, ApiError> {
    let headers = request.headers();
    // Any other scheme is a proxy's own affair.
    if bearer(headers).is_ok() {
        let message = "this path is for people who are signed in; an API key goes to /v1";
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message));
    }
    if is_unsafe(request.method()) {
        if !is_ours(headers, app.settings.public_url.as_deref()) {
            let message = "the request does not come from a page of this server";
            return Err(ApiError::new(StatusCode::FORBIDDEN, "cross_site", message));
        }
        // A page of another site can send a form, but no JSON, without asking first.
        if request.method() != Method::DELETE && !is_json(headers) {
            let message = "send the body as `Content-Type: application/json`";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
        }
    }
    let session = Kept::Session.read(headers, &app.settings).ok_or(AuthError::NotSignedIn)?;
    Ok(session.to_owned())
}

async fn project_in_path(request: &mut Request, shown: &Shown, app: &App) -> Result<ProjectSlug, ApiError> {
    // Who comes in is asked before what they want, so that a stranger learns nothing from a path.
    match shown {
        Shown::Key(key) => drop(app.engine.authenticate(key).await?),
        Shown::Session(session) => drop(app.engine.authenticate_session(session).await?),
    }
    // A path that is no valid text names nothing that could be there.
    let nothing = || ApiError::not_found("thing under this path");
    let params = request.extract_parts::<RawPathParams>().await.map_err(|_| nothing())?;
    let (_, slug) = params.iter().find(|(name, _)| *name == "project_id").ok_or_else(nothing)?;
    slug.parse().map_err(|error| ApiError::invalid(format!("project_id: {error}")))
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // Only a route that asks for a scope has a caller; a handler that wants one elsewhere is a
        // mistake of ours.
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::internal)
    }
}

impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::internal)
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let message = error.to_string();
        match error {
            AuthError::Unknown => Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message),
            AuthError::Revoked => Self::new(StatusCode::UNAUTHORIZED, "key_revoked", message),
            AuthError::Expired => Self::new(StatusCode::UNAUTHORIZED, "key_expired", message),
            AuthError::NotSignedIn => Self::new(StatusCode::UNAUTHORIZED, "not_signed_in", message),
            AuthError::SessionEnded => Self::new(StatusCode::UNAUTHORIZED, "session_ended", message),
            AuthError::NoSuchProject => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            AuthError::MissingScope(_) | AuthError::RoleLacks(_) => {
                Self::new(StatusCode::FORBIDDEN, "missing_scope", message)
            }
            AuthError::Store(error) => error.into(),
        }
    }
}
