//! Errors of the server and of the network, with hints.

use std::time::SystemTime;

use reflect_api::ErrorBody;

use super::retry::retry_after;
use super::{Answer, Unreachable};
use crate::error::{Error, StatusError};

/// The error of a response with an error status.
pub(crate) fn response_error(answer: &Answer, call: &'static str) -> Error {
    let parsed = serde_json::from_slice::<ErrorBody>(&answer.body).ok().map(|body| body.error);
    let mut hint = match answer.status {
        401 => Some("Check REFLECT_API_KEY, or the api_key of the client."),
        403 => Some("Use a key with that scope; `keys.create` creates one."),
        404 if parsed.is_none() => {
            Some("Is the base URL the address of the server, with its path prefix if it has one?")
        }
        _ => None,
    };
    let request_id = answer.header("x-request-id").map(str::to_owned);
    let (code, mut message, request_id) = match parsed {
        Some(detail) => (Some(detail.code), detail.message, request_id.or(Some(detail.request_id))),
        None => (None, "the response does not come from a Reflect server".to_owned(), request_id),
    };
    if (300..400).contains(&answer.status) {
        message = format!("the server redirects to {}", answer.header("location").unwrap_or("elsewhere"));
        hint = Some("Set the final address as base URL.");
    }
    Error::Status(Box::new(StatusError {
        call,
        status: answer.status,
        code,
        message,
        request_id,
        retry_after: retry_after(&answer.headers, SystemTime::now()),
        hint,
    }))
}

/// The error of a request without a response.
pub(crate) fn no_connection(problem: Unreachable, call: &'static str, base_url: &str) -> Error {
    let (base_url, reason) = (base_url.to_owned(), problem.reason);
    if problem.timed_out {
        return Error::Timeout { call, base_url, reason };
    }
    let hint = if reason.to_lowercase().contains("certificate") {
        "Certificates come from the operating system; use http_client for a client that trusts others."
    } else {
        "Is the server running, and is the base URL correct?"
    };
    Error::Connection { call, base_url, reason, hint }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{HeaderMap, HeaderValue};

    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &'static str) -> Answer {
        let headers = headers.iter().map(|(name, value)| {
            (reqwest::header::HeaderName::from_static(name), HeaderValue::from_static(value))
        });
        Answer { status, headers: HeaderMap::from_iter(headers), body: body.into() }
    }

    #[test]
    fn an_error_of_the_server_keeps_all_that_it_says() {
        let body = r#"{"error":{"code":"overloaded","message":"too much at once","request_id":"r1"}}"#;
        let error = response_error(&answer(503, &[("retry-after", "1")], body), "create_trace");

        assert_eq!((error.status(), error.code()), (Some(503), Some("overloaded")));
        assert_eq!((error.request_id(), error.retry_after()), (Some("r1"), Some(Duration::from_secs(1))));
        assert!(error.is_passing());
        assert_eq!(error.to_string(), "create_trace: 503 too much at once [overloaded] (request id r1)");
    }

    #[test]
    fn answers_of_others_and_redirects_say_what_to_do() {
        let stranger = response_error(&answer(404, &[], "<html>"), "health");
        assert_eq!((stranger.code(), stranger.is_passing()), (None, false));
        assert!(stranger.to_string().contains("path prefix"), "{stranger}");

        let moved = response_error(&answer(301, &[("location", "https://b.example")], ""), "health");
        assert!(moved.to_string().contains("redirects to https://b.example"), "{moved}");
    }

    #[test]
    fn slow_is_told_from_away() {
        let problem = |timed_out| Unreachable { reason: "why".to_owned(), sent: true, timed_out };
        assert!(matches!(no_connection(problem(true), "health", "http://a"), Error::Timeout { .. }));
        assert!(matches!(no_connection(problem(false), "health", "http://a"), Error::Connection { .. }));
    }
}
