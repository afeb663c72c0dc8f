//! Who comes to the tools: the host and the page that the request names, the key, and the project.
//!
//! A page of another site can make a browser send requests here: under our address, and then it says where it comes
//! from, or under a name of its own that it lets point to our address, and then that name is not one of ours.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use reflect_types::ProjectSlug;

use crate::app::{App, ServerSettings};
use crate::http::caller::{Caller, bearer};
use crate::http::error::ApiError;
use crate::http::same_site::is_ours;

const PROJECT: &str = "x-project-id";

/// Lets a key into the project that the request names, or into its own. What it may do there, each tool asks.
pub(crate) async fn enter(
    app: &App,
    headers: &HeaderMap,
    request_id: Option<String>,
) -> Result<Caller, ApiError> {
    check_where_from(headers, &app.settings)?;
    let holder = app.engine.authenticate(bearer(headers)?).await?;
    let slug = match project_named(headers)? {
        Some(slug) => slug,
        None => holder.project().cloned().ok_or_else(|| {
            ApiError::invalid("this key belongs to no project; send one in the header X-Project-Id")
        })?,
    };
    let visitor = app.engine.enter(&holder, &slug, true, request_id.as_deref()).await?;
    let actor = visitor.actor(request_id);
    Ok(Caller { visitor, actor })
}

fn project_named(headers: &HeaderMap) -> Result<Option<ProjectSlug>, ApiError> {
    let Some(value) = headers.get(PROJECT) else { return Ok(None) };
    let text =
        str::from_utf8(value.as_bytes()).map_err(|_| ApiError::invalid("X-Project-Id: must be UTF-8"))?;
    let slug = text.parse().map_err(|error| ApiError::invalid(format!("X-Project-Id: {error}")))?;
    Ok(Some(slug))
}

fn check_where_from(headers: &HeaderMap, settings: &ServerSettings) -> Result<(), ApiError> {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !is_our_host(host, settings) {
        let message = "this server does not go by the name in the header Host; --public-url or --mcp-hosts says \
                       which names it has";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "unknown_host", message));
    }
    let from_a_page = headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site");
    if from_a_page && !is_ours(headers, settings.public_url.as_deref()) {
        let message = "the request does not come from a page of this server";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "cross_site", message));
    }
    Ok(())
}

/// Pure: whether the host is one of ours. Nobody can let an address, or `localhost`, point elsewhere; any other name
/// has to be known.
fn is_our_host(host: &str, settings: &ServerSettings) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // What stands before it would be a user's name.
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
            assert!(is_our_host(host, &settings), "{host}");
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
            assert!(!is_our_host(host, &settings), "{host}");
        }
    }
}
