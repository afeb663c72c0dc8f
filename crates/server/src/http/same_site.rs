//! Whether a request comes from a page of this server. A browser sends its cookies along with requests that other
//! sites make, so what changes something has to prove where it comes from.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Pure: whether the request was made by a page of ours. Browsers say so themselves (`Sec-Fetch-Site`); one that does
/// not, as over plain HTTP, names its origin. `public_url` is how a proxy shows us, when that is known.
pub(crate) fn is_ours(headers: &HeaderMap, public_url: Option<&str>) -> bool {
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
            is_ours(&headers(&[("sec-fetch-site", site), ("origin", "http://a"), ("host", "a")]), None)
        };
        assert!(said("same-origin"));
        for other in ["cross-site", "same-site", "none", ""] {
            assert!(!said(other), "{other}");
        }
    }

    #[test]
    fn without_it_the_origin_must_be_the_host_or_the_known_address() {
        let from = |origin| headers(&[("origin", origin), ("host", "127.0.0.1:8000")]);
        assert!(is_ours(&from("http://127.0.0.1:8000"), None));
        assert!(!is_ours(&from("http://127.0.0.1:9000"), None));
        assert!(!is_ours(&from("null"), None));
        assert!(is_ours(&from("https://reflect.example"), Some("https://reflect.example")));
        assert!(!is_ours(&headers(&[("host", "127.0.0.1:8000")]), None));
    }
}
