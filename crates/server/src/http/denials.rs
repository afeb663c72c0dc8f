//! Denied requests go to the audit log. The response is sent unchanged.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use reflect_engine::DenialKind;
use reflect_store::{AuditActor, RequestOrigin};
use reflect_types::{ProjectId, ProjectSlug};

use crate::app::App;
use crate::error::ErrorParts;
use crate::http::caller::bearer;
use crate::http::cookie::Cookie;
use crate::http::origin::Origin;
use crate::http::route::CONSOLE;

/// What the audit log says about a denied request.
struct Asked {
    method: Method,
    route: Option<MatchedPath>,
    uri: Uri,
    origin: RequestOrigin,
    /// Only what the caller presented.
    credentials: HeaderMap,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let mut credentials = HeaderMap::new();
        for name in [AUTHORIZATION, COOKIE] {
            for value in request.headers().get_all(&name) {
                credentials.append(name.clone(), value.clone());
            }
        }
        Self {
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            uri: request.uri().clone(),
            origin: Origin::of(request.extensions()),
            credentials,
        }
    }

    /// The project in the path. `None` if its name is encoded: then the entry is in the log of the installation.
    fn slug(&self) -> Option<ProjectSlug> {
        let path = self.uri.path();
        let rest = path.strip_prefix(CONSOLE).unwrap_or(path).strip_prefix("/v1/projects/")?;
        rest.split('/').next().filter(|name| !name.contains('%'))?.parse().ok()
    }

    /// The caller, if the credential belongs to one.
    async fn caller(&self, app: &App) -> Option<(ProjectId, String)> {
        let slug = self.slug();
        match bearer(&self.credentials) {
            Ok(key) => app.engine.access.denied_key(key, slug.as_ref()).await,
            Err(_) => {
                let session = Cookie::Session.read(&self.credentials, &app.settings)?;
                app.engine.access.denied_member(session, slug.as_ref()).await
            }
        }
    }
}

/// Records the request if it was denied.
pub(crate) async fn record(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let asked = Asked::of(&request);
    let response = next.run(request).await;
    let Some(kind) = denial(&response) else { return response };
    let caller = if names_caller(kind) { asked.caller(&app).await } else { None };
    match caller {
        Some((project, name)) => {
            let route = asked.route.as_ref().map_or("", |route| route.as_str());
            let target = format!("{} {route}", asked.method);
            let actor = AuditActor { name, origin: asked.origin };
            app.engine.denials.record(project, &actor, kind, &target).await;
        }
        None => app.engine.denials.record_anonymous(kind, &asked.origin).await,
    }
    response
}

fn denial(response: &Response) -> Option<DenialKind> {
    let parts = response.extensions().get::<ErrorParts>();
    if let Some(kind) = parts.and_then(|parts| parts.denial) {
        return Some(kind);
    }
    match (response.status(), parts) {
        (StatusCode::UNAUTHORIZED, Some(_)) => Some(DenialKind::NoCredential),
        (StatusCode::FORBIDDEN, Some(parts)) if matches!(parts.code, "cross_site" | "unknown_host") => {
            Some(DenialKind::OtherSite)
        }
        (StatusCode::FORBIDDEN, _) => Some(DenialKind::Forbidden),
        // The pages for sign-in and setup, whose link did not work.
        (StatusCode::UNAUTHORIZED | StatusCode::GONE, None) => Some(DenialKind::SignInLink),
        _ => None,
    }
}

/// Whether the credential of such a request belongs to its sender. Another site can make a browser send its cookie.
fn names_caller(kind: DenialKind) -> bool {
    use DenialKind::{ExpiredKey, Forbidden, MissingScope, NoProject, RevokedKey, WrongAddress};
    matches!(kind, RevokedKey | ExpiredKey | WrongAddress | NoProject | MissingScope | Forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str) -> Option<String> {
        let request = Request::builder().uri(path).body(axum::body::Body::empty()).unwrap();
        Asked::of(&request).slug().map(String::from)
    }

    #[test]
    fn the_project_is_the_one_of_the_path() {
        assert_eq!(asked("/v1/projects/shop/traces?x=1").as_deref(), Some("shop"));
        assert_eq!(asked("/console/api/v1/projects/shop").as_deref(), Some("shop"));
        assert_eq!(asked("/v1/projects/a%20b/traces"), None);
        assert_eq!(asked("/mcp"), None);
    }
}
