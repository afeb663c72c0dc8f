//! Extracts spans and log records from requests. What a body would cost to decode is checked before it is decoded.

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use bytes::Bytes;
use prost::Message;
use reflect_engine::Telemetry;
use reflect_types::Defence;
use serde::de::DeserializeOwned;

use super::convert;
use super::cost::{self, protobuf_cost};
use super::encoding::Encoding;
use crate::error::ApiError;
use crate::http::json::{body_limit, check_cost};
use crate::http::route::BodyLimit;

/// The decoder of protobuf refuses deeper messages.
const MAX_PROTOBUF_DEPTH: usize = 100;
/// To decode more than this takes so long that other requests of the thread would wait.
const DECODED_ELSEWHERE: usize = 256 * 1024;

/// The spans of a request.
#[derive(Debug)]
pub(crate) struct SentSpans {
    pub(super) encoding: Encoding,
    pub(super) telemetry: Telemetry,
}

/// The log records of a request.
#[derive(Debug)]
pub(crate) struct SentLogs {
    pub(super) encoding: Encoding,
    pub(super) telemetry: Telemetry,
}

impl<S: Send + Sync> FromRequest<S> for SentSpans {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let message = cost::Message::TraceRequest;
        let (encoding, telemetry) = receive(request, state, message, convert::spans).await?;
        Ok(Self { encoding, telemetry })
    }
}

impl<S: Send + Sync> FromRequest<S> for SentLogs {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let message = cost::Message::LogsRequest;
        let (encoding, telemetry) = receive(request, state, message, convert::logs).await?;
        Ok(Self { encoding, telemetry })
    }
}

async fn receive<S: Send + Sync, T: Message + Default + DeserializeOwned + 'static>(
    request: Request,
    state: &S,
    message: cost::Message,
    convert: fn(T, usize) -> Telemetry,
) -> Result<(Encoding, Telemetry), ApiError> {
    let encoding = Encoding::require(request.headers())?;
    let limit = body_limit(&request);
    // The body is in memory: `body` has read it.
    let bytes = Bytes::from_request(request, state).await.map_err(|_| ApiError::internal())?;
    let size = bytes.len();
    let read = move || decode::<T>(&bytes, encoding, message, limit).map(|decoded| convert(decoded, size));
    let telemetry = if size < DECODED_ELSEWHERE {
        read()
    } else {
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
    };
    Ok((encoding, telemetry?))
}

fn decode<T: Message + Default + DeserializeOwned>(
    bytes: &[u8],
    encoding: Encoding,
    message: cost::Message,
    limit: BodyLimit,
) -> Result<T, ApiError> {
    match encoding {
        Encoding::Json => {
            check_cost(bytes, limit)?;
            // serde would also accept an array of the fields' values.
            if bytes.trim_ascii_start().first() != Some(&b'{') {
                return Err(malformed("the body is not OTLP JSON: it must be an object"));
            }
            serde_json::from_slice(bytes)
                .map_err(|error| malformed(&format!("the body is not OTLP JSON: {error}")))
        }
        Encoding::Protobuf => {
            let cost = protobuf_cost(bytes, message);
            let cost =
                cost.map_err(|cost::Malformed| malformed("the body is not a protobuf message of OTLP"))?;
            if cost.depth > MAX_PROTOBUF_DEPTH {
                let levels = format!("the body has more than {MAX_PROTOBUF_DEPTH} nested levels; use fewer");
                return Err(malformed(&levels));
            }
            if cost.messages > limit.values() && Defence::JsonCost.is_on() {
                let most = limit.values();
                let count = cost.messages;
                return Err(malformed(&format!(
                    "the body has {count} nested messages, at most {most} are accepted; send fewer spans per request"
                )));
            }
            let refused = |error| malformed(&format!("the body is not a protobuf message of OTLP: {error}"));
            T::decode(bytes).map_err(refused)
        }
    }
}

fn malformed(message: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "invalid_body", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};

    const LIMIT: BodyLimit = BodyLimit::Spans;

    fn spans(bytes: &[u8], encoding: Encoding) -> Result<ExportTraceServiceRequest, ApiError> {
        decode(bytes, encoding, cost::Message::TraceRequest, LIMIT)
    }

    #[test]
    fn both_encodings_are_decoded() {
        let span = Span { name: "chat".to_owned(), ..Span::default() };
        let scope_spans = vec![ScopeSpans { spans: vec![span], ..ScopeSpans::default() }];
        let resource_spans = vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }];
        let request = ExportTraceServiceRequest { resource_spans };
        assert_eq!(spans(&request.encode_to_vec(), Encoding::Protobuf).unwrap(), request);
        let json = br#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"chat"}]}]}]}"#;
        assert_eq!(spans(json, Encoding::Json).unwrap(), request);
        assert_eq!(spans(b"", Encoding::Protobuf).unwrap(), ExportTraceServiceRequest::default());
    }

    #[test]
    fn what_is_costly_or_broken_is_refused_before_it_is_decoded() {
        let many = ScopeSpans { spans: vec![Span::default(); LIMIT.values()], ..ScopeSpans::default() };
        let many = ResourceSpans { scope_spans: vec![many], ..ResourceSpans::default() };
        let many = ExportTraceServiceRequest { resource_spans: vec![many] }.encode_to_vec();
        assert!(spans(&many, Encoding::Protobuf).unwrap_err().message.contains("nested messages"));
        let many = format!(r#"{{"resourceSpans":[{{}}{}]}}"#, ",{}".repeat(LIMIT.values()));
        assert!(spans(many.as_bytes(), Encoding::Json).unwrap_err().message.contains("values"));
        for (bytes, encoding) in
            [(&b"{"[..], Encoding::Json), (b"[]", Encoding::Json), (b"{}", Encoding::Protobuf)]
        {
            assert_eq!(spans(bytes, encoding).unwrap_err().code, "invalid_body");
        }
    }
}
