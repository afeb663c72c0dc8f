//! The two encodings of OTLP/HTTP: which one a request has, and how its response is written.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsPartialSuccess, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceResponse,
};
use prost::Message;
use serde_json::{Value, json};

use crate::error::ApiError;

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// How a request is encoded. The response has the same encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Protobuf,
    Json,
}

impl Encoding {
    /// The encoding that the request declares.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "application/x-protobuf" | "application/protobuf" => Some(Self::Protobuf),
            "application/json" => Some(Self::Json),
            _ => None,
        }
    }

    /// The same, or the error for another one.
    pub(super) fn require(headers: &HeaderMap) -> Result<Self, ApiError> {
        Self::of(headers).ok_or_else(|| {
            let message =
                "the Content-Type is not that of OTLP/HTTP; send `application/x-protobuf` or `application/json`";
            ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)
        })
    }
}

/// What was rejected of a request that was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartialSuccess {
    pub(super) rejected: i64,
    pub(super) message: String,
}

/// What a request sends, which names the field of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejected {
    Spans,
    LogRecords,
}

/// `google.rpc.Status`, without details.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

/// The response to a request that was received.
pub(super) fn success(encoding: Encoding, what: Rejected, partial: Option<PartialSuccess>) -> Response {
    let (kind, body) = match (encoding, what) {
        (Encoding::Json, _) => (JSON, json_success(what, partial).to_string().into_bytes()),
        (Encoding::Protobuf, Rejected::Spans) => {
            let partial_success = partial.map(|PartialSuccess { rejected, message }| {
                ExportTracePartialSuccess { rejected_spans: rejected, error_message: message }
            });
            (PROTOBUF, ExportTraceServiceResponse { partial_success }.encode_to_vec())
        }
        (Encoding::Protobuf, Rejected::LogRecords) => {
            let partial_success = partial.map(|PartialSuccess { rejected, message }| {
                ExportLogsPartialSuccess { rejected_log_records: rejected, error_message: message }
            });
            (PROTOBUF, ExportLogsServiceResponse { partial_success }.encode_to_vec())
        }
    };
    ([(CONTENT_TYPE, kind)], body).into_response()
}

/// The protobuf mapping writes 64-bit numbers as texts.
fn json_success(what: Rejected, partial: Option<PartialSuccess>) -> Value {
    let Some(PartialSuccess { rejected, message }) = partial else { return json!({}) };
    let rejected = rejected.to_string();
    match what {
        Rejected::Spans => {
            json!({ "partialSuccess": { "rejectedSpans": rejected, "errorMessage": message } })
        }
        Rejected::LogRecords => {
            json!({ "partialSuccess": { "rejectedLogRecords": rejected, "errorMessage": message } })
        }
    }
}

/// The body of an error. A request of another content type gets JSON.
pub(crate) fn error(status: StatusCode, encoding: Option<Encoding>, message: String) -> Response {
    let code = rpc_code(status);
    let (kind, body) = match encoding {
        Some(Encoding::Protobuf) => (PROTOBUF, RpcStatus { code, message }.encode_to_vec()),
        _ => (JSON, json!({ "code": code, "message": message }).to_string().into_bytes()),
    };
    (status, [(CONTENT_TYPE, kind)], body).into_response()
}

/// The code of gRPC with the same meaning.
const fn rpc_code(status: StatusCode) -> i32 {
    match status.as_u16() {
        401 => 16,
        403 => 7,
        404 => 5,
        408 => 4,
        409 => 10,
        429 => 8,
        502..=504 => 14,
        500..=599 => 13,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    async fn body(response: Response) -> Vec<u8> {
        response.into_body().collect().await.unwrap().to_bytes().to_vec()
    }

    #[test]
    fn both_encodings_are_recognised_and_others_are_not() {
        let of = |kind: &'static str| {
            Encoding::of(&HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]))
        };
        assert_eq!(of("application/x-protobuf"), Some(Encoding::Protobuf));
        assert_eq!(of("Application/JSON; charset=utf-8"), Some(Encoding::Json));
        assert_eq!((of("text/plain"), Encoding::of(&HeaderMap::new())), (None, None));
    }

    #[tokio::test]
    async fn a_success_is_empty_unless_something_was_rejected() {
        for (encoding, empty) in [(Encoding::Protobuf, &b""[..]), (Encoding::Json, b"{}")] {
            let response = success(encoding, Rejected::Spans, None);
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(body(response).await, empty);
        }
        let partial = || Some(PartialSuccess { rejected: 3, message: "late".to_owned() });
        let sent = body(success(Encoding::Protobuf, Rejected::Spans, partial())).await;
        let read = ExportTraceServiceResponse::decode(sent.as_slice()).unwrap().partial_success.unwrap();
        assert_eq!((read.rejected_spans, read.error_message.as_str()), (3, "late"));
        let sent = body(success(Encoding::Json, Rejected::LogRecords, partial())).await;
        let read: Value = serde_json::from_slice(&sent).unwrap();
        assert_eq!(read, json!({ "partialSuccess": { "rejectedLogRecords": "3", "errorMessage": "late" } }));
    }

    #[tokio::test]
    async fn an_error_has_the_encoding_of_the_request() {
        let response = error(StatusCode::TOO_MANY_REQUESTS, Some(Encoding::Protobuf), "slow down".to_owned());
        assert_eq!(response.headers()[CONTENT_TYPE], "application/x-protobuf");
        let status = RpcStatus::decode(body(response).await.as_slice()).unwrap();
        assert_eq!((status.code, status.message.as_str()), (8, "slow down"));
        let response = error(StatusCode::BAD_REQUEST, None, "no".to_owned());
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        assert_eq!(body(response).await, br#"{"code":3,"message":"no"}"#);
    }
}
