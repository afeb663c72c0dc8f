//! Who is asking: the bearer key becomes a visitor of one project, or the request ends here.

use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::{AuthError, Visitor};
use reflect_store::Actor;
use reflect_types::ProjectSlug;

use crate::app::App;
use crate::http::error::ApiError;
use crate::http::request_id::RequestId;
use crate::http::{Needs, find_route};

/// A visitor whose key was checked against the route's scope.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) visitor: Visitor,
    pub(crate) actor: Actor,
}

/// Lets a request through if the route's entry in the table allows it.
pub(crate) async fn authorise(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let Some(route) = find_route(request.method(), path) else {
        tracing::error!(route = path, "route {path} is not in the table of routes, so nobody may use it");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", "this route is not open to anybody"));
    };
    if let Needs::Scope(scope) = route.needs {
        let holder = app.engine.authenticate(bearer(request.headers())?).await?;
        let slug = project_in_path(&mut request).await?;
        let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
        let may_make = request.method() != Method::DELETE;
        let visitor = app.engine.enter(&holder, &slug, may_make, request_id.as_deref()).await?;
        holder.may(scope)?;
        let actor = visitor.actor(request_id);
        request.extensions_mut().insert(Caller { visitor, actor });
    }
    Ok(next.run(request).await)
}

fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let missing = || {
        let message = "send an API key as `Authorization: Bearer rf_live_…`";
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    };
    let header = headers.get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, key) = header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(key.trim()) } else { Err(missing()) }
}

async fn project_in_path(request: &mut Request) -> Result<ProjectSlug, ApiError> {
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

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let message = error.to_string();
        match error {
            AuthError::Unknown => Self::new(StatusCode::UNAUTHORIZED, "unauthorized", message),
            AuthError::Revoked => Self::new(StatusCode::UNAUTHORIZED, "key_revoked", message),
            AuthError::Expired => Self::new(StatusCode::UNAUTHORIZED, "key_expired", message),
            AuthError::NoSuchProject => Self::new(StatusCode::NOT_FOUND, "not_found", message),
            AuthError::MissingScope(_) => Self::new(StatusCode::FORBIDDEN, "missing_scope", message),
            AuthError::Store(error) => error.into(),
        }
    }
}
