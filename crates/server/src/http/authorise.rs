//! Authorisation: a request reaches its handler only if it presents what the route's entry requires.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use axum::RequestExt;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::{AuthError, Visitor};
use reflect_types::{MemberRole, ProjectSlug};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::{Caller, Credential, ProjectAccess, SignedIn, bearer};
use crate::http::caller_mark::CallerMark;
use crate::http::client_address::ClientAddress;
use crate::http::cookie::Cookie;
use crate::http::json::is_json;
use crate::http::mcp::access;
use crate::http::origin::Origin;
use crate::http::project_header;
use crate::http::route::{MatchedRoute, RouteAccess};
use crate::http::same_site::is_same_origin;
use crate::http::warnings::RequestWarnings;

/// Checks the request against its route and stores the caller in the request.
pub(crate) async fn authorise(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let Some(MatchedRoute { route, by_session }) = request.extensions().get().copied() else {
        let message = "this route is not in the route table, so no caller may use it";
        tracing::error!(path = request.uri().path(), "{message}");
        return Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", message));
    };
    match route.access {
        RouteAccess::Public | RouteAccess::BootstrapToken | RouteAccess::FeedbackToken => {
            Ok(next.run(request).await)
        }
        RouteAccess::Session | RouteAccess::InstallationAdmin => {
            let session = session(&app, &request)?;
            let holder = app.engine.access.authenticate_session(&session).await?;
            CallerMark::set(&request, holder.member().member_id.as_uuid(), &holder.name());
            if route.access == RouteAccess::InstallationAdmin && !holder.manages_members() {
                return Err(AuthError::NotInstallationAdmin.into());
            }
            let actor = holder.actor(Origin::of(request.extensions()));
            request.extensions_mut().insert(SignedIn { holder, actor });
            Ok(next.run(request).await)
        }
        RouteAccess::Tool => {
            let origin = Origin::of(request.extensions());
            let caller = access::check(&app, request.headers(), origin).await?;
            CallerMark::set(&request, caller.visitor.key_id.as_uuid(), &caller.visitor.name);
            warn_of_expiry(&request, &caller.visitor);
            request.extensions_mut().insert(caller);
            Ok(next.run(request).await)
        }
        RouteAccess::Exporter(scope) => {
            let origin = Origin::of(request.extensions());
            let caller = project_header::caller(&app, request.headers(), origin).await?;
            CallerMark::set(&request, caller.visitor.key_id.as_uuid(), &caller.visitor.name);
            caller.visitor.may(scope)?;
            warn_of_expiry(&request, &caller.visitor);
            request.extensions_mut().insert(caller);
            Ok(next.run(request).await)
        }
        RouteAccess::Scope(scope) => {
            let credential = match by_session {
                true => Credential::Session(session(&app, &request)?),
                false => Credential::Key(bearer(request.headers())?.to_owned()),
            };
            let address = address(&request);
            let slug = project_in_path(&mut request, &credential, address, &app).await?;
            let may_create = request.method() != Method::DELETE;
            let role = route.role().unwrap_or(MemberRole::Admin);
            let origin = Origin::of(request.extensions());
            let access = ProjectAccess { credential, address, slug, scope, role, may_create };
            let visitor = access.check(&app, &origin).await?;
            CallerMark::set(&request, visitor.key_id.as_uuid(), &visitor.name);
            warn_of_expiry(&request, &visitor);
            let project = visitor.project;
            let actor = visitor.actor(origin);
            request.extensions_mut().insert(Caller { visitor, actor });
            request.extensions_mut().insert(access);
            let response = next.run(request).await;
            if let Some(topic) = route.topic.filter(|_| response.status().is_success()) {
                app.engine.events.publish(project, topic, None);
            }
            Ok(response)
        }
    }
}

/// The address of the client, for keys that work from some addresses only.
fn address(request: &Request) -> IpAddr {
    let known = request.extensions().get::<ClientAddress>().copied();
    known.unwrap_or_else(|| ClientAddress::of(request, &[])).0
}

/// A key that expires unnoticed stops the recording of runs.
fn warn_of_expiry(request: &Request, visitor: &Visitor) {
    if let Some(text) = visitor.expiry_warning(SystemTime::now().into())
        && let Some(warnings) = request.extensions().get::<RequestWarnings>()
    {
        warnings.add(text);
    }
}

/// The session cookie of a request that a page of this server sent.
fn session(app: &App, request: &Request) -> Result<String, ApiError> {
    let headers = request.headers();
    check_no_key(headers)?;
    if !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        if !is_same_origin(headers, app.settings.public_url.as_deref()) {
            let message = "the request does not come from a page of this server";
            return Err(ApiError::new(StatusCode::FORBIDDEN, "cross_site", message));
        }
        // A page of another site can send a form without a preflight request, but not JSON.
        if request.method() != Method::DELETE && !is_json(headers) {
            let message = "the Content-Type is not JSON; send `Content-Type: application/json`";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
        }
    }
    let session = Cookie::Session.read(headers, &app.settings).ok_or(AuthError::NotSignedIn)?;
    Ok(session.to_owned())
}

/// A proxy may use other authorisation schemes, so only an API key is refused.
fn check_no_key(headers: &HeaderMap) -> Result<(), ApiError> {
    if bearer(headers).is_ok() {
        let message = "this path takes a session, not an API key; use the API key with /v1";
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message));
    }
    Ok(())
}

async fn project_in_path(
    request: &mut Request,
    credential: &Credential,
    address: IpAddr,
    app: &App,
) -> Result<ProjectSlug, ApiError> {
    // The credential is checked before the path, so an unknown caller learns nothing from a path.
    match credential {
        Credential::Key(key) => drop(app.engine.access.authenticate(key, Some(address)).await?),
        Credential::Session(session) => drop(app.engine.access.authenticate_session(session).await?),
    }
    // A path that is not valid UTF-8 names nothing.
    let nothing = || ApiError::not_found("resource at this path");
    let params = request.extract_parts::<RawPathParams>().await.map_err(|_| nothing())?;
    let (_, slug) = params.iter().find(|(name, _)| *name == "project_id").ok_or_else(nothing)?;
    slug.parse().map_err(|error| ApiError::invalid(format!("project_id: {error}")))
}
