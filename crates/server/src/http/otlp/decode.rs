//! Extracts spans and log records from requests. What a body would cost to decode is checked before it is decoded, and the
//! memory for it is reserved like that of a body.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use bytes::Bytes;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::logs::v1::ResourceLogs;
use opentelemetry_proto::tonic::trace::v1::ResourceSpans;
use prost::Message;
use reflect_engine::Telemetry;
use reflect_types::{Defence, json_cost};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::convert;
use super::cost::{self, protobuf_cost};
use super::encoding::Encoding;
use crate::app::App;
use crate::caller_use::CallerUse;
use crate::error::ApiError;
use crate::http::body_memory::BodyMemory;
use crate::http::json::{body_limit, check_cost};
use crate::http::route::BodyLimit;

/// The decoder of protobuf refuses deeper messages.
const MAX_PROTOBUF_DEPTH: usize = 100;
/// What a decoded protobuf message takes in memory at most, besides its texts.
const BYTES_PER_MESSAGE: usize = 400;
/// The same for a value of JSON. A message has two, its object and a comma.
const BYTES_PER_VALUE: usize = 200;
/// To read more than this takes so long that other requests of the thread would wait.
const DECODED_ELSEWHERE: usize = 256 * 1024;

/// The spans of a request.
#[derive(Debug)]
pub(crate) struct SentSpans(pub(super) Received);

/// The log records of a request.
#[derive(Debug)]
pub(crate) struct SentLogs(pub(super) Received);

/// What a request brings.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) encoding: Encoding,
    pub(super) telemetry: Telemetry,
    /// Held until the request is answered.
    pub(super) memory: BodyMemory,
}

/// A request in both encodings.
pub(super) trait OtlpRequest: Message + Default + 'static {
    /// Reads the JSON form, in which an empty list may be absent. The generated types require it.
    fn from_json(json: &[u8]) -> serde_json::Result<Self>;
}

impl OtlpRequest for ExportTraceServiceRequest {
    fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Spans {
            #[serde(default)]
            resource_spans: Vec<ResourceSpans>,
        }
        let Spans { resource_spans } = serde_json::from_slice(json)?;
        Ok(Self { resource_spans })
    }
}

impl OtlpRequest for ExportLogsServiceRequest {
    fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Logs {
            #[serde(default)]
            resource_logs: Vec<ResourceLogs>,
        }
        let Logs { resource_logs } = serde_json::from_slice(json)?;
        Ok(Self { resource_logs })
    }
}

impl FromRequest<Arc<App>> for SentSpans {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        receive(request, app, cost::Message::TraceRequest, convert::spans).await.map(Self)
    }
}

impl FromRequest<Arc<App>> for SentLogs {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        receive(request, app, cost::Message::LogsRequest, convert::logs).await.map(Self)
    }
}

async fn receive<T: OtlpRequest>(
    request: Request,
    app: &Arc<App>,
    message: cost::Message,
    convert: fn(T, usize) -> Telemetry,
) -> Result<Received, ApiError> {
    let encoding = Encoding::require(request.headers())?;
    let limit = body_limit(&request);
    let caller = request.extensions().get::<Arc<CallerUse>>().cloned();
    // The body is in memory: `body` has read it.
    let bytes = Bytes::from_request(request, app).await.map_err(|_| ApiError::internal())?;
    let size = bytes.len();
    let body = bytes.clone();
    let more = elsewhere_if(size, move || decoded_size(&body, encoding, message, limit)).await?;
    let in_memory = size.saturating_add(more);
    let mut memory = BodyMemory::new(app, caller.as_deref());
    // A request that is alone is never refused: the size of its body is reserved already.
    let most = app.settings.limits.bytes_per_caller().saturating_sub(size + 2 * 1024);
    memory.grow_to(in_memory.min(most))?;
    let read = move || decode::<T>(&bytes, encoding).map(|decoded| convert(decoded, in_memory));
    let telemetry = elsewhere_if(in_memory, read).await?;
    Ok(Received { encoding, telemetry, memory })
}

/// Does work on this many bytes, on another thread if they are many.
async fn elsewhere_if<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if bytes < DECODED_ELSEWHERE {
        return work();
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

/// What the messages of a body take in memory when they are decoded, besides their texts. An error if that is more than the
/// route allows.
pub(super) fn decoded_size(
    bytes: &[u8],
    encoding: Encoding,
    message: cost::Message,
    limit: BodyLimit,
) -> Result<usize, ApiError> {
    let size = match encoding {
        Encoding::Json => {
            check_cost(bytes, limit)?;
            json_cost(bytes).values.saturating_mul(BYTES_PER_VALUE)
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
            cost.messages.saturating_mul(BYTES_PER_MESSAGE)
        }
    };
    Ok(if Defence::JsonCost.is_on() { size } else { 0 })
}

/// Decodes a body.
pub(super) fn decode<T: OtlpRequest>(bytes: &[u8], encoding: Encoding) -> Result<T, ApiError> {
    match encoding {
        Encoding::Json => {
            // serde would also accept an array of the fields' values.
            if bytes.trim_ascii_start().first() != Some(&b'{') {
                return Err(malformed("the body is not OTLP JSON: it must be an object"));
            }
            from_json(bytes).map_err(|error| malformed(&format!("the body is not OTLP JSON: {error}")))
        }
        Encoding::Protobuf => {
            let refused = |error| malformed(&format!("the body is not a protobuf message of OTLP: {error}"));
            T::decode(bytes).map_err(refused)
        }
    }
}

/// Reads OTLP JSON. The generated types do not accept all that is valid: if the body cannot be read, it is repaired and read again.
fn from_json<T: OtlpRequest>(json: &[u8]) -> serde_json::Result<T> {
    T::from_json(json).or_else(|error| {
        let mut value: Value = serde_json::from_slice(json)?;
        if repair(&mut value) == 0 {
            return Err(error);
        }
        let json = serde_json::to_vec(&value)?;
        drop(value);
        T::from_json(&json)
    })
}

/// Repairs what senders write and the generated types do not accept. Returns how many values were changed.
fn repair(json: &mut Value) -> usize {
    match json {
        Value::Array(items) => items.iter_mut().map(repair).sum(),
        Value::Object(fields) => {
            let repaired = repair_fields(fields) + repair_numbers(fields);
            repaired + fields.values_mut().map(repair).sum::<usize>()
        }
        _ => 0,
    }
}

/// A field that is null is absent. The list of an empty list is absent too (`"arrayValue":{}`), but the types require it. The
/// entities of a resource are not read, and the type requires fields that senders omit.
fn repair_fields(fields: &mut Map<String, Value>) -> usize {
    let sent = fields.len();
    fields.retain(|name, value| !value.is_null() && name != "entityRefs");
    let mut repaired = sent - fields.len();
    for name in ["arrayValue", "kvlistValue"] {
        if let Some(Value::Object(list)) = fields.get_mut(name)
            && list.get("values").is_none_or(Value::is_null)
        {
            list.insert("values".to_owned(), Value::Array(Vec::new()));
            repaired += 1;
        }
    }
    repaired
}

/// The numbers of an attribute. One that is no integer of 64 bits is a number, and one that JSON cannot write is null, as in
/// protobuf requests.
fn repair_numbers(fields: &mut Map<String, Value>) -> usize {
    let is_integer = |sent: &Value| {
        sent.as_i64().is_some() || sent.as_str().is_some_and(|text| text.parse::<i64>().is_ok())
    };
    let repaired = match (fields.get("intValue"), fields.get("doubleValue")) {
        (Some(sent), _) if !is_integer(sent) => number(sent),
        (None, Some(sent @ Value::String(_))) => number(sent),
        _ => None,
    };
    let Some(number) = repaired else { return 0 };
    let integer = if fields.remove("intValue").is_some() { as_integer(number) } else { None };
    match integer {
        Some(integer) => fields.insert("intValue".to_owned(), integer.into()),
        None => fields.insert("doubleValue".to_owned(), number.into()),
    };
    1
}

/// A number, or a text with one.
fn number(sent: &Value) -> Option<f64> {
    sent.as_f64().or_else(|| sent.as_str()?.parse().ok())
}

/// `None` for a number with a fraction, and for one with more than 64 bits.
fn as_integer(number: f64) -> Option<i64> {
    if number.fract() == 0.0 { format!("{number:.0}").parse().ok() } else { None }
}

fn malformed(message: &str) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "invalid_body", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::trace::v1::{ScopeSpans, Span};

    const LIMIT: BodyLimit = BodyLimit::Spans;

    fn spans(bytes: &[u8], encoding: Encoding) -> Result<ExportTraceServiceRequest, ApiError> {
        decoded_size(bytes, encoding, cost::Message::TraceRequest, LIMIT)?;
        decode(bytes, encoding)
    }

    #[test]
    fn empty_spans_count_with_what_they_take_in_memory() {
        let scope_spans = vec![ScopeSpans { spans: vec![Span::default(); 1_000], ..ScopeSpans::default() }];
        let resource_spans = vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }];
        let request = ExportTraceServiceRequest { resource_spans }.encode_to_vec();
        assert!(request.len() < 2_100);
        let bytes = decoded_size(&request, Encoding::Protobuf, cost::Message::TraceRequest, LIMIT).unwrap();
        assert_eq!(bytes, 1_002 * BYTES_PER_MESSAGE);
        let json = format!(r#"{{"resourceSpans":[{{}}{}]}}"#, ",{}".repeat(999));
        let bytes =
            decoded_size(json.as_bytes(), Encoding::Json, cost::Message::TraceRequest, LIMIT).unwrap();
        assert!(bytes >= 1_000 * BYTES_PER_MESSAGE);
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
        for (empty, encoding) in [(&b""[..], Encoding::Protobuf), (b"{}", Encoding::Json)] {
            assert_eq!(spans(empty, encoding).unwrap(), ExportTraceServiceRequest::default());
        }
        let no_logs = decode::<ExportLogsServiceRequest>(b"{}", Encoding::Json).unwrap();
        assert_eq!(no_logs, ExportLogsServiceRequest::default());
    }

    #[test]
    fn empty_lists_that_senders_omit_are_read() {
        let sent = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"chat","attributes":[
            {"key":"a","value":{"arrayValue":{}}},
            {"key":"m","value":{"kvlistValue":{"values":[{"key":"n","value":{"kvlistValue":{}}}]}}}]}]}]}]}"#;
        let request = spans(sent.as_bytes(), Encoding::Json).unwrap();
        let telemetry = convert::spans(request, 0);
        let attributes = serde_json::to_value(&telemetry.spans[0].1.attributes).unwrap();
        assert_eq!(attributes, serde_json::json!({ "a": [], "m": { "n": {} } }));
        let broken = sent.replace("\"chat\"", "5");
        assert!(spans(broken.as_bytes(), Encoding::Json).unwrap_err().message.contains("expected a string"));
    }

    /// A span with attributes, as JSON.
    fn with_attributes(attributes: &[&str]) -> String {
        let attribute =
            |(number, value): (usize, &&str)| format!(r#"{{"key":"{number}","value":{{{value}}}}}"#);
        let attributes: Vec<String> = attributes.iter().enumerate().map(attribute).collect();
        let attributes = attributes.join(",");
        format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"attributes":[{attributes}]}}]}}]}}]}}"#)
    }

    #[test]
    fn numbers_that_json_cannot_write_and_large_integers_are_read() {
        let sent = with_attributes(&[
            r#""doubleValue":"NaN""#,
            r#""doubleValue":"-Infinity""#,
            r#""doubleValue":"1.5""#,
            r#""intValue":1e21"#,
            r#""intValue":2.5"#,
            r#""intValue":7.0"#,
            r#""intValue":"8""#,
            r#""intValue":18446744073709551615"#,
        ]);
        let telemetry = convert::spans(spans(sent.as_bytes(), Encoding::Json).unwrap(), 0);
        let read = telemetry.spans[0].1.attributes.values().cloned();
        let read = Value::from_iter(read);
        let expected =
            serde_json::json!([null, null, 1.5, 1e21, 2.5, 7, 8, 18_446_744_073_709_551_615_u64 as f64]);
        assert_eq!(read, expected);
        for broken in [r#""doubleValue":"many""#, r#""intValue":"many""#, r#""intValue":true"#] {
            let broken = with_attributes(&[broken]);
            assert_eq!(spans(broken.as_bytes(), Encoding::Json).unwrap_err().code, "invalid_body");
        }
    }

    #[test]
    fn fields_that_are_null_are_absent_and_entities_are_not_read() {
        let sent = br#"{"resourceSpans":[{
            "resource":{"attributes":null,"entityRefs":[{"type":"service","idKeys":["service.name"]}]},
            "scopeSpans":[{"scope":null,"schemaUrl":null,"spans":[{"name":"chat","traceId":null,"spanId":"ab",
            "parentSpanId":null,"startTimeUnixNano":null,"endTimeUnixNano":"5","kind":null,"events":null,"links":null,
            "status":null,"attributes":[{"key":"a","value":null},{"key":"b","value":{"arrayValue":{"values":null}}}]}]}]}]}"#;
        let telemetry = convert::spans(spans(sent, Encoding::Json).unwrap(), 0);
        let (run, span) = &telemetry.spans[0];
        assert!(run.is_nil() && span.parent_id.is_none() && span.events.is_empty());
        assert_eq!((span.name.as_str(), span.start, span.end), ("chat", 0, 5));
        let attributes = serde_json::to_value(&span.attributes).unwrap();
        assert_eq!(attributes, serde_json::json!({ "a": null, "b": [] }));
        let nothing = spans(br#"{"resourceSpans":null}"#, Encoding::Json).unwrap();
        assert_eq!(nothing, ExportTraceServiceRequest::default());
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
