//! Whether a request comes from a page of this server. Browsers also send cookies with requests of other sites, so
//! requests that change something must prove their origin.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use reflect_types::Defence;

/// Whether a page of this server made the request. Browsers send `Sec-Fetch-Site`. Without it, as over plain HTTP,
/// `Origin` decides. `public_url` is the server's address behind a proxy, if known.
pub(crate) fn is_same_origin(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    if !Defence::SameSite.is_on() {
        return true;
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if headers.contains_key("sec-fetch-site") {
        return text("sec-fetch-site") == Some("same-origin");
    }
    let Some(origin) = text(ORIGIN.as_str()) else { return false };
    if public_url.is_some_and(|url| url == origin) {
        return true;
    }
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == text(HOST.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn what_the_browser_says_decides() {
        let said = |site| {
            is_same_origin(&headers(&[("sec-fetch-site", site), ("origin", "http://a"), ("host", "a")]), None)
        };
        assert!(said("same-origin"));
        for other in ["cross-site", "same-site", "none", ""] {
            assert!(!said(other), "{other}");
        }
    }

    #[test]
    fn without_it_the_origin_must_be_the_host_or_the_known_address() {
        let from = |origin| headers(&[("origin", origin), ("host", "127.0.0.1:8000")]);
        assert!(is_same_origin(&from("http://127.0.0.1:8000"), None));
        assert!(!is_same_origin(&from("http://127.0.0.1:9000"), None));
        assert!(!is_same_origin(&from("null"), None));
        assert!(is_same_origin(&from("https://reflect.example"), Some("https://reflect.example")));
        assert!(!is_same_origin(&headers(&[("host", "127.0.0.1:8000")]), None));
    }
}
