//! A path has one form only. If two forms led to the same route, a rule of a proxy for one of them could be avoided with
//! the other.

use axum::extract::Request;
use axum::http::{StatusCode, Uri};
use axum::middleware::Next;
use axum::response::Response;
use reflect_types::Defence;

use crate::app::ServerSettings;
use crate::error::ApiError;

/// Load balancers call these directly and not through the proxy that has the base path.
const PROBES: [&str; 4] = ["/health", "/ready", "/ready/write", "/metrics"];

/// Marks a request whose path is refused.
#[derive(Debug, Clone)]
struct RefusedPath(String);

/// Removes the base path, and marks requests whose path has another form. A router matches the path before its layers
/// run, so the path must change outside of the router, and [`check`] refuses the request inside.
pub(crate) fn normalise(mut request: Request, settings: &ServerSettings) -> Request {
    let defended = Defence::OnePath.is_on();
    if defended && !is_plain(request.uri().path()) {
        let message = "the path has an empty segment, a `.` or `..` segment, or a backslash";
        request.extensions_mut().insert(RefusedPath(message.to_owned()));
        return request;
    }
    let base_path = &settings.base_path;
    if base_path.is_empty() || (settings.base_path_stripped && defended) {
        return request;
    }
    match without_base_path(request.uri(), base_path) {
        Some(uri) => *request.uri_mut() = uri,
        None if !defended || PROBES.contains(&request.uri().path()) => {}
        None => {
            let message = format!(
                "paths of this server begin with {base_path}; if your proxy removes it, set --base-path-stripped"
            );
            request.extensions_mut().insert(RefusedPath(message));
        }
    }
    request
}

/// Whether [`normalise`] has marked the request.
#[cfg(test)]
pub(super) fn is_refused(request: &Request) -> bool {
    request.extensions().get::<RefusedPath>().is_some()
}

/// Refuses what [`normalise`] has marked.
pub(crate) async fn check(request: Request, next: Next) -> Result<Response, ApiError> {
    match request.extensions().get::<RefusedPath>() {
        Some(RefusedPath(message)) => {
            Err(ApiError::new(StatusCode::NOT_FOUND, "route_not_found", message.clone()))
        }
        None => Ok(next.run(request).await),
    }
}

fn without_base_path(uri: &Uri, base_path: &str) -> Option<Uri> {
    let rest = uri.path_and_query()?.as_str().strip_prefix(base_path)?;
    match rest {
        "" => Some(Uri::from_static("/")),
        _ if rest.starts_with(['/', '?']) => rest.parse().ok(),
        _ => None,
    }
}

/// Whether a path means the same to programs that remove empty and dot segments. Routes match encoded text, so an encoded
/// slash, which the name of a project may have, leads nowhere else.
fn is_plain(path: &str) -> bool {
    let is_dots = |segment: &str| {
        segment.starts_with(['.', '%'])
            && segment.len() <= 6
            && matches!(&*segment.to_ascii_lowercase().replace("%2e", "."), "." | "..")
    };
    !path.contains("//") && !path.contains('\\') && !path.split('/').any(is_dots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    /// The path that the router sees; `None` if it is refused.
    fn routed(path: &str, base_path: &str, stripped: bool) -> Option<String> {
        let settings = ServerSettings {
            base_path: base_path.to_owned(),
            base_path_stripped: stripped,
            ..ServerSettings::default()
        };
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let request = normalise(request, &settings);
        (!is_refused(&request)).then(|| request.uri().to_string())
    }

    #[test]
    fn other_forms_of_a_path_are_refused() {
        for path in [
            "//metrics",
            "/./metrics",
            "/x/../metrics",
            "/metrics/.",
            "/v1//projects",
            "/x/%2e%2E/metrics",
            "/x/.%2e/metrics",
        ] {
            assert_eq!(routed(path, "", false), None, "{path}");
        }
        for path in ["/", "/v1/projects/a%20b%2Fc/traces?q=a//b", "/docs/swagger-ui.css", "/%2Fmetrics"] {
            assert_eq!(routed(path, "", false).as_deref(), Some(path));
        }
    }

    #[test]
    fn the_base_path_is_there_once_or_never() {
        let kept = |path| routed(path, "/pre", false);
        assert_eq!(kept("/pre/v1/x?a=b").as_deref(), Some("/v1/x?a=b"));
        assert_eq!(kept("/pre").as_deref(), Some("/"));
        assert_eq!(kept("/pre/pre/metrics").as_deref(), Some("/pre/metrics"), "which is no route");
        assert_eq!((kept("/v1/x"), kept("/prefix/v1/x")), (None, None));
        assert_eq!(kept("/metrics").as_deref(), Some("/metrics"), "a scraper calls it directly");

        let stripped = |path| routed(path, "/pre", true);
        assert_eq!(stripped("/v1/x").as_deref(), Some("/v1/x"));
        assert_eq!(stripped("/pre/metrics").as_deref(), Some("/pre/metrics"), "which is no route");
    }
}
