//! The console's files. The binary contains them in compressed form. A debug build reads them from the checkout, so a
//! rebuilt console is used at once. If they are missing, one page says how to build them.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, ETAG, IF_NONE_MATCH, VARY};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::asset::Asset;
use super::frame::{Frame, policy, random, send};
use crate::app::{App, ServerSettings};
use crate::error::{ApiError, no_such_route};

/// Paths that are never a page of the console: a mistyped API call must get an error instead of a page.
const NO_PAGES: [&str; 7] = ["v1", "console", "docs", "openapi.json", "health", "ready", "metrics"];
/// The console's build puts files with a hash in their names here.
const HASHED: &str = "assets/";
const NONCE: &str = "__REFLECT_NONCE__";
const BASE: &str = "__REFLECT_BASE__";

#[derive(Debug, Template)]
#[template(path = "missing.html")]
struct MissingPage<'a> {
    frame: &'a Frame,
}

/// Handles paths without a route: a file of the console, a page of it, or an error.
pub(crate) async fn file_or_page(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let path = uri.path().trim_start_matches('/');
    let first = path.split('/').next().unwrap_or_default();
    let reads = matches!(method, Method::GET | Method::HEAD);
    if !reads || NO_PAGES.contains(&first) {
        return Err(no_such_route(method, uri).await);
    }
    if path != "index.html"
        && is_plain(path)
        && let Some(asset) = find(path)
    {
        return Ok(file(path, asset, &headers));
    }
    let accepts = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !accepts.contains("text/html") {
        return Err(no_such_route(method, uri).await);
    }
    match find("index.html").and_then(|asset| String::from_utf8(asset.plain).ok()) {
        Some(html) => Ok(index(&html, &app.settings)),
        None => {
            let frame = Frame::new(&app.settings);
            send(StatusCode::OK, &MissingPage { frame: &frame }, &frame, &app.settings)
        }
    }
}

/// The console's page, with its own nonce and the path prefix of the reverse proxy.
fn index(html: &str, settings: &ServerSettings) -> Response {
    let nonce = random();
    let html = html
        .replace(NONCE, &nonce)
        .replace(BASE, &settings.base_path)
        .replace("=\"./", &format!("=\"{}/", settings.base_path));
    let mut response = html.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Some(policy) = policy(&nonce) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn file(path: &str, asset: Asset, request_headers: &HeaderMap) -> Response {
    let text = |name| {
        request_headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or_default()
    };
    let unchanged =
        text(IF_NONE_MATCH).split(',').any(|tag| tag.trim().trim_start_matches("W/") == asset.etag);
    let accepts = |coding: &str| text(ACCEPT_ENCODING).split(',').any(|part| accepted(part, coding));
    let (coding, bytes) = match (asset.brotli, asset.gzip) {
        _ if unchanged => (None, Vec::new()),
        (Some(bytes), _) if accepts("br") => (Some("br"), bytes),
        (_, Some(bytes)) if accepts("gzip") => (Some("gzip"), bytes),
        _ => (None, asset.plain),
    };
    let status = if unchanged { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = (status, bytes).into_response();
    let headers = response.headers_mut();
    let keep = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    for (name, value) in [(CONTENT_TYPE, asset.kind.as_str()), (ETAG, &asset.etag)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    response
}

/// Whether an entry of `Accept-Encoding` allows this encoding. `q=0` refuses it.
fn accepted(entry: &str, coding: &str) -> bool {
    let mut words = entry.split(';').map(str::trim);
    let named = words.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
    named && !words.any(|word| matches!(word, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
}

/// Whether a path can only be a file of the console.
fn is_plain(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    !path.is_empty() && path.bytes().all(plain) && !path.contains("..") && !path.contains("//")
}

#[cfg(feature = "console")]
fn find(path: &str) -> Option<Asset> {
    super::embedded::find(path)
}

#[cfg(not(feature = "console"))]
const fn find(_: &str) -> Option<Asset> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asset() -> Asset {
        Asset {
            kind: "text/javascript".into(),
            etag: "\"abc\"".into(),
            plain: b"plain".to_vec(),
            brotli: Some(b"br".to_vec()),
            gzip: Some(b"gz".to_vec()),
        }
    }

    fn asking(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_best_coding_that_the_browser_takes_is_sent() {
        for (accepts, coding) in [
            ("gzip, deflate, br, zstd", Some("br")),
            ("gzip;q=1.0, br;q=0", Some("gzip")),
            ("deflate", None),
            ("", None),
        ] {
            let sent = file("assets/a-1.js", asset(), &asking(&[("accept-encoding", accepts)]));
            let found = sent.headers().get(CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!(found, coding, "{accepts}");
            assert_eq!(sent.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
        }
    }

    #[test]
    fn a_file_that_the_browser_has_is_not_sent_again() {
        let sent = file("favicon.svg", asset(), &asking(&[("if-none-match", "W/\"abc\"")]));
        assert_eq!(sent.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(sent.headers()[CACHE_CONTROL], "no-cache");
    }

    #[test]
    fn the_page_gets_its_nonce_and_its_place() {
        let html = "<meta nonce=\"__REFLECT_NONCE__\"><meta content=\"__REFLECT_BASE__\"><script src=\"./assets/a.js\">";
        let settings = ServerSettings { base_path: "/pre".into(), ..ServerSettings::default() };
        let page = index(html, &settings);
        let policy = page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.contains("'nonce-") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.headers()[CACHE_CONTROL], "no-cache");
        let other = index(html, &settings).headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert_ne!(policy, other, "every answer has a nonce of its own");
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_no_files() {
        assert!(is_plain("assets/index-Ab1_.js") && is_plain("favicon.svg"));
        for odd in ["", "../secret", "assets/../../x", "a//b", "a%2e%2e", "a\\b", "a b"] {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
