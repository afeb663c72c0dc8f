//! Access to the tools: checks the host, the origin, the key and the project.
//!
//! A page of another site can make a browser send requests to this server. Either it uses the address of this server;
//! then the browser sends its origin. Or it uses its own host name with this server's IP address (DNS rebinding).

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use reflect_store::RequestOrigin;
use reflect_types::Defence;

use crate::app::{App, ServerSettings};
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::project_header;
use crate::http::same_site::is_same_origin;

/// Checks where the request comes from, and a key for the project that it names or for its own. Each tool checks its
/// scope.
pub(crate) async fn check(app: &App, headers: &HeaderMap, origin: RequestOrigin) -> Result<Caller, ApiError> {
    check_where_from(headers, &app.settings)?;
    project_header::caller(app, headers, origin).await
}

fn check_where_from(headers: &HeaderMap, settings: &ServerSettings) -> Result<(), ApiError> {
    if !Defence::McpOrigin.is_on() {
        return Ok(());
    }
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !is_known_host(host, settings) {
        let message = "the name in the header Host does not belong to this server; configure it with --public-url or \
                       --mcp-hosts";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_host", message));
    }
    let from_a_page = headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site");
    if from_a_page && !is_same_origin(headers, settings.public_url.as_deref()) {
        let message = "the request does not come from a page of this server";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "cross_site", message));
    }
    Ok(())
}

/// Whether the host belongs to this server. DNS rebinding needs a host name, so IP addresses and `localhost` are safe.
/// Other names must be configured.
pub(super) fn is_known_host(host: &str, settings: &ServerSettings) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // A host with `@` has a user name in front.
    if host.contains('@') {
        return false;
    }
    let name = authority.host().trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
    let public = settings.public_url.as_deref().and_then(|url| url.split_once("://")).map(|(_, host)| host);
    let public = public.and_then(|host| host.parse::<Authority>().ok());
    name.parse::<IpAddr>().is_ok()
        || name == "localhost"
        || public.is_some_and(|public| public.host().eq_ignore_ascii_case(&name))
        || settings.mcp_hosts.iter().any(|known| known.eq_ignore_ascii_case(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_known_names_are_ours_and_other_names_are_not() {
        let settings = ServerSettings {
            public_url: Some("https://reflect.example:8443".to_owned()),
            mcp_hosts: vec!["Reflect".to_owned()],
            ..ServerSettings::default()
        };
        for host in [
            "127.0.0.1:8000",
            "10.1.2.3",
            "[::1]:8000",
            "localhost",
            "LOCALHOST:9",
            "reflect.example",
            "Reflect.Example.:443",
            "reflect:8000",
        ] {
            assert!(is_known_host(host, &settings), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "reflect.example.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil@localhost",
            "a b",
            "http://localhost",
        ] {
            assert!(!is_known_host(host, &settings), "{host}");
        }
    }
}
