//! The last step of every response: the error body and common headers.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use reflect_api::{ErrorBody, ErrorDetail};

use crate::app::App;
use crate::error::ErrorParts;
use crate::http::otlp::encoding::{self, Encoding};
use crate::http::request_id::RequestId;
use crate::http::route::{MatchedRoute, RouteAccess};
use crate::http::system::OwnBody;
use crate::http::warnings::{RequestWarnings, WARNING};

/// A response that is not a page must not run or load anything, and must not be framed.
const NO_PAGE: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// Browsers use TLS for this host for a year, also if a link says `http`.
const ONLY_TLS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Writes the body of an error, including errors of the middleware.
pub(crate) async fn finish(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let warnings = RequestWarnings::default();
    request.extensions_mut().insert(warnings.clone());
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let form = ErrorForm::of(&request);
    let mut response = next.run(request).await;
    let failed = response.status().is_client_error() || response.status().is_server_error();
    if failed && response.extensions().get::<OwnBody>().is_none() {
        response = with_error_body(response, request_id, form);
    }
    let headers = response.headers_mut();
    for warning in warnings.headers() {
        headers.append(WARNING, warning);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if app.settings.is_secure() {
        headers.insert(STRICT_TRANSPORT_SECURITY, ONLY_TLS);
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(NO_PAGE);
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The form of an error's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorForm {
    Ours,
    /// The protocol of the route says what an error looks like.
    Otlp(Option<Encoding>),
}

impl ErrorForm {
    fn of(request: &Request) -> Self {
        let matched = request.extensions().get::<MatchedRoute>();
        match matched.map(|matched| matched.route.access) {
            Some(RouteAccess::Exporter(_)) => Self::Otlp(Encoding::of(request.headers())),
            _ => Self::Ours,
        }
    }
}

fn with_error_body(response: Response, request_id: String, form: ErrorForm) -> Response {
    let status = response.status();
    let ErrorParts { code, message, position, .. } =
        response.extensions().get().cloned().unwrap_or_else(|| from_a_layer(status));
    let mut answer = match form {
        ErrorForm::Ours => {
            let error = ErrorDetail { code: code.to_owned(), message, request_id, position };
            (status, Json(ErrorBody { error })).into_response()
        }
        ErrorForm::Otlp(encoding) => encoding::error(status, encoding, message),
    };
    for name in ["retry-after", "allow"] {
        if let Some(value) = response.headers().get(name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

fn from_a_layer(status: StatusCode) -> ErrorParts {
    let code = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "payload_too_large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported_media_type",
        _ if status.is_server_error() => "internal",
        _ => "invalid_request",
    };
    let message = status.canonical_reason().unwrap_or("refused").to_lowercase();
    ErrorParts { code, message, position: None, denial: None }
}
