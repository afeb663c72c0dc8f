//! The caller of a route: a key or a session that may use one project, or a signed-in member.
//!
//! Keys and sessions use separate paths: a key is not accepted under the console's path, and a cookie is accepted only
//! there. Otherwise a page of another site could use a browser's cookie on a route that does not check for it.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use reflect_engine::{MemberHolder, Visitor};
use reflect_store::{AuditActor, RequestOrigin};
use reflect_types::{MemberRole, ProjectSlug, Scope};

use crate::app::App;
use crate::error::ApiError;

/// A key or member that has the route's scope in the route's project.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub(crate) visitor: Visitor,
    pub(crate) actor: AuditActor,
}

/// A signed-in member, without a project.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(crate) holder: MemberHolder,
    pub(crate) actor: AuditActor,
}

/// What a request presented to use a project. A stream keeps it to check again while it is open.
#[derive(Clone)]
pub(crate) struct ProjectAccess {
    pub(crate) credential: Credential,
    /// The address of the client.
    pub(crate) address: IpAddr,
    pub(crate) slug: ProjectSlug,
    pub(crate) scope: Scope,
    /// The least role of a member.
    pub(crate) role: MemberRole,
    pub(crate) may_create: bool,
}

/// A secret that a request presented.
#[derive(Clone)]
pub(crate) enum Credential {
    Key(String),
    Session(String),
}

impl ProjectAccess {
    /// Checks the credential, the address, the project, and the scope or the role.
    pub(crate) async fn check(&self, app: &App, origin: &RequestOrigin) -> Result<Visitor, ApiError> {
        match &self.credential {
            Credential::Key(key) => {
                let holder = app.engine.access.authenticate(key, Some(self.address)).await?;
                let visitor = app.engine.access.enter(&holder, &self.slug, self.may_create, origin).await?;
                holder.may(self.scope)?;
                Ok(visitor)
            }
            Credential::Session(session) => {
                let holder = app.engine.access.authenticate_session(session).await?;
                Ok(app.engine.access.enter_as_member(&holder, &self.slug, self.role).await?)
            }
        }
    }
}

/// The API key of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let missing = || {
        let message = "the request has no API key; send it as `Authorization: Bearer rf_live_…`";
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    };
    let header = headers.get(AUTHORIZATION).ok_or_else(missing)?;
    let (scheme, key) = header.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(key.trim()) } else { Err(missing()) }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        // Only routes with `RouteAccess::Scope`, `Tool` or `Exporter` have a caller. Elsewhere this extractor is a bug.
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::internal)
    }
}

impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::internal)
    }
}
