//! Converts decoded OTLP messages to what the engine reads. What many spans or events share is not copied: a short request
//! could name a long text a hundred thousand times.

use std::sync::Arc;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use reflect_engine::Telemetry;
use reflect_trajectory::otel::{OtelEvent, OtelSpan};
use serde_json::{Map, Value};
use uuid::Uuid;

/// The attributes of a resource that are read.
const OF_RESOURCE: [&str; 1] = ["service.name"];
/// The length of the id of a span, in bytes.
const SPAN_ID: usize = 8;

/// The spans of a request. `bytes` is about what they take in memory.
pub(super) fn spans(request: ExportTraceServiceRequest, bytes: usize) -> Telemetry {
    let mut spans = Vec::new();
    for group in request.resource_spans {
        let resource = Arc::new(resource(group.resource));
        let sent = group.scope_spans.into_iter().flat_map(|scope| scope.spans);
        spans.extend(sent.map(|span| {
            // An id of another length is no id.
            let run = Uuid::from_slice(&span.trace_id).unwrap_or_default();
            (run, self::span(span, resource.clone()))
        }));
    }
    Telemetry { spans, bytes, ..Telemetry::default() }
}

/// The log records of a request.
pub(super) fn logs(request: ExportLogsServiceRequest, bytes: usize) -> Telemetry {
    let records = request.resource_logs.into_iter().flat_map(|group| group.scope_logs);
    let records = records.flat_map(|scope| scope.log_records);
    let events = records.map(|record| {
        let run = Uuid::from_slice(&record.trace_id).ok().filter(|run| !run.is_nil());
        (run, event(record))
    });
    Telemetry { events: events.collect(), bytes, ..Telemetry::default() }
}

fn resource(resource: Option<Resource>) -> Map<String, Value> {
    let attributes = resource.map(|resource| resource.attributes).unwrap_or_default();
    let read = attributes.into_iter().filter(|attribute| OF_RESOURCE.contains(&attribute.key.as_str()));
    self::attributes(read.collect())
}

fn span(span: Span, resource: Arc<Map<String, Value>>) -> OtelSpan {
    let span_id = id(&span.span_id);
    let failed = span.status.filter(|status| status.code() == StatusCode::Error);
    let events = span.events.into_iter().map(|event| OtelEvent {
        span_id: span_id.clone(),
        name: event.name,
        at: event.time_unix_nano,
        attributes: attributes(event.attributes),
        body: Value::Null,
    });
    OtelSpan {
        events: events.collect(),
        parent_id: (!span.parent_span_id.is_empty()).then(|| id(&span.parent_span_id)),
        name: span.name,
        start: span.start_time_unix_nano,
        end: span.end_time_unix_nano,
        error: failed.map(|status| status.message),
        attributes: attributes(span.attributes),
        resource,
        span_id,
    }
}

fn event(record: LogRecord) -> OtelEvent {
    let attributes = attributes(record.attributes);
    // Older exporters send the name as an attribute.
    let named = attributes.get("event.name").and_then(Value::as_str).map(str::to_owned);
    let name = Some(record.event_name).filter(|name| !name.is_empty()).or(named);
    let at = if record.time_unix_nano > 0 { record.time_unix_nano } else { record.observed_time_unix_nano };
    OtelEvent {
        span_id: id(&record.span_id),
        name: name.unwrap_or_default(),
        at,
        attributes,
        body: record.body.map(value).unwrap_or_default(),
    }
}

fn attributes(sent: Vec<KeyValue>) -> Map<String, Value> {
    sent.into_iter()
        .map(|KeyValue { key, value, .. }| (key, value.map(self::value).unwrap_or_default()))
        .collect()
}

fn value(any: AnyValue) -> Value {
    match any.value {
        Some(Any::StringValue(text)) => text.into(),
        Some(Any::BoolValue(truth)) => truth.into(),
        Some(Any::IntValue(number)) => number.into(),
        Some(Any::DoubleValue(number)) => number.into(),
        Some(Any::ArrayValue(list)) => list.values.into_iter().map(value).collect(),
        Some(Any::KvlistValue(fields)) => attributes(fields.values).into(),
        // The JSON form of bytes is base64.
        Some(bytes @ Any::BytesValue(_)) => {
            let json = serde_json::to_value(AnyValue { value: Some(bytes) }).unwrap_or_default();
            json.get("bytesValue").cloned().unwrap_or_default()
        }
        Some(_) | None => Value::Null,
    }
}

/// The id of a span in hexadecimal. Empty for bytes that are no id.
fn id(bytes: &[u8]) -> String {
    if bytes.len() != SPAN_ID {
        return String::new();
    }
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or_default());
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_json(json: &Value) -> Telemetry {
        spans(serde_json::from_value(json.clone()).unwrap(), 0)
    }

    #[test]
    fn spans_of_json_have_hexadecimal_ids_and_any_values() {
        let telemetry = from_json(&json!({ "resourceSpans": [{
            "resource": { "attributes": [
                { "key": "service.name", "value": { "stringValue": "shop" } },
                { "key": "host.name", "value": { "stringValue": "h" } } ] },
            "scopeSpans": [{ "scope": { "name": "s" }, "spans": [{
                "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174",
                "parentSpanId": "EEE19B7EC3C1B173", "name": "chat m", "kind": 3, "flags": 257,
                "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": 1544712661000000000_u64,
                "aFieldOfALaterVersion": { "x": 1 },
                "status": { "code": 2, "message": "slow" },
                "events": [{ "timeUnixNano": "1544712660500000000", "name": "e",
                             "attributes": [{ "key": "a", "value": { "boolValue": true } }] }],
                "attributes": [
                    { "key": "n", "value": { "intValue": "5" } }, { "key": "d", "value": { "doubleValue": 0.5 } },
                    { "key": "none", "value": {} }, { "key": "b", "value": { "bytesValue": "aGk=" } },
                    { "key": "list", "value": { "arrayValue": { "values": [{ "stringValue": "x" }, { "intValue": 7 }] } } },
                    { "key": "map", "value": { "kvlistValue": { "values": [
                        { "key": "k", "value": { "stringValue": "v" } } ] } } } ] }] }] }] }));
        let (run, span) = &telemetry.spans[0];
        assert_eq!(run.simple().to_string(), "5b8efff798038103d269b633813fc60c");
        assert_eq!(
            (span.span_id.as_str(), span.parent_id.as_deref()),
            ("eee19b7ec3c1b174", Some("eee19b7ec3c1b173"))
        );
        assert_eq!((span.start, span.end), (1_544_712_660_000_000_000, 1_544_712_661_000_000_000));
        assert_eq!(
            (span.error.as_deref(), span.events[0].attributes["a"].as_bool()),
            (Some("slow"), Some(true))
        );
        assert_eq!(Value::Object((*span.resource).clone()), json!({ "service.name": "shop" }));
        let expected =
            json!({ "n": 5, "d": 0.5, "none": null, "b": "aGk=", "list": ["x", 7], "map": { "k": "v" } });
        assert_eq!(Value::Object(span.attributes.clone()), expected);
    }

    #[test]
    fn ids_of_another_length_are_none_and_a_root_has_no_parent() {
        let telemetry = from_json(&json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [
            { "traceId": "5b8e", "spanId": "", "name": "x" },
            { "traceId": "5b8e", "spanId": "ab", "parentSpanId": "cd", "name": "x" }] }] }] }));
        let (run, span) = &telemetry.spans[0];
        assert!(run.is_nil() && span.span_id.is_empty() && span.parent_id.is_none() && span.error.is_none());
        let (_, other) = &telemetry.spans[1];
        assert_eq!((other.span_id.as_str(), other.parent_id.as_deref()), ("", Some("")));
    }

    #[test]
    fn log_records_are_named_by_a_field_or_by_an_attribute() {
        let record = |fields: Value| {
            let request = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [fields] }] }] });
            logs(serde_json::from_value(request).unwrap(), 0).events.remove(0)
        };
        let (run, event) = record(json!({
            "timeUnixNano": "0", "observedTimeUnixNano": "7", "eventName": "gen_ai.choice",
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174",
            "body": { "kvlistValue": { "values": [{ "key": "index", "value": { "intValue": 0 } }] } } }));
        assert_eq!((run.is_some(), event.at, event.name.as_str()), (true, 7, "gen_ai.choice"));
        assert_eq!(event.body, json!({ "index": 0 }));
        let (run, event) = record(json!({
            "timeUnixNano": "9", "attributes": [{ "key": "event.name", "value": { "stringValue": "gen_ai.user.message" } }],
            "body": { "stringValue": "hi" } }));
        assert_eq!((run, event.at, event.name.as_str()), (None, 9, "gen_ai.user.message"));
    }
}
