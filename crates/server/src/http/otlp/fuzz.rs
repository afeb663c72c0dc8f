//! Fuzz targets: spans and log records in both encodings of OTLP.

use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use reflect_engine::Telemetry;
use reflect_fuzz::{CaseSource, FuzzTarget};
use reflect_trajectory::otel::{read_context, read_event, read_span};
use reflect_types::json_cost;

use super::convert;
use super::cost::{self, protobuf_cost};
use super::decode::{OtlpRequest, decode, decoded_size};
use super::encoding::Encoding;
use crate::http::route::BodyLimit;

const WORDS: &[&str] = &[
    "resourceSpans",
    "scopeSpans",
    "spans",
    "resourceLogs",
    "scopeLogs",
    "logRecords",
    "traceId",
    "spanId",
    "parentSpanId",
    "5b8efff798038103d269b633813fc60c",
    "eee19b7ec3c1b174",
    "name",
    "attributes",
    "key",
    "value",
    "stringValue",
    "intValue",
    "doubleValue",
    "boolValue",
    "bytesValue",
    "arrayValue",
    "kvlistValue",
    "values",
    "events",
    "links",
    "status",
    "message",
    "body",
    "timeUnixNano",
    "startTimeUnixNano",
    "1544712660000000000",
    "gen_ai.operation.name",
    "gen_ai.input.messages",
    "chat",
];
const SPANS: cost::Message = cost::Message::TraceRequest;
const LOGS: cost::Message = cost::Message::LogsRequest;
/// A request with many empty groups takes tenths of a second in a debug build.
const LIMIT: Duration = Duration::from_secs(2);

#[test]
fn protobuf_costs_what_was_counted() {
    FuzzTarget::new("otlp-protobuf").words(WORDS).limit(LIMIT).run(
        |source| fields(source, 9),
        |input| {
            check_protobuf(input, SPANS, spans(input, Encoding::Protobuf));
            check_protobuf(input, LOGS, logs(input, Encoding::Protobuf));
        },
    );
}

#[test]
fn json_brings_no_more_records_than_values() {
    FuzzTarget::new("otlp-json").words(WORDS).limit(LIMIT).run(request, |input| {
        let most = json_cost(input).values;
        for (_, records) in spans(input, Encoding::Json).into_iter().chain(logs(input, Encoding::Json)) {
            assert!(records <= most, "{records} records in {most} values");
        }
    });
}

fn spans(input: &[u8], encoding: Encoding) -> Option<(Vec<u8>, usize)> {
    read::<ExportTraceServiceRequest>(input, encoding, SPANS, convert::spans)
}

fn logs(input: &[u8], encoding: Encoding) -> Option<(Vec<u8>, usize)> {
    read::<ExportLogsServiceRequest>(input, encoding, LOGS, convert::logs)
}

/// Decodes a request as the server does. Returns it in protobuf, and the number of its records.
fn read<T: OtlpRequest>(
    input: &[u8],
    encoding: Encoding,
    message: cost::Message,
    convert: fn(T, usize) -> Telemetry,
) -> Option<(Vec<u8>, usize)> {
    let size = decoded_size(input, encoding, message, BodyLimit::Spans);
    let decoded = size.and_then(|size| Ok((size, decode::<T>(input, encoding)?)));
    let (size, request) = match decoded {
        Ok(decoded) => decoded,
        Err(error) => {
            assert!(error.status.is_client_error(), "{}", error.status);
            return None;
        }
    };
    let protobuf = request.encode_to_vec();
    let telemetry = convert(request, size);
    for (_, span) in &telemetry.spans {
        let _ = read_span(span).or_else(|| read_context(span));
    }
    for (_, event) in &telemetry.events {
        let _ = read_event(event);
    }
    Some((protobuf, telemetry.spans.len() + telemetry.events.len()))
}

/// What was decoded is no more than what was counted before.
fn check_protobuf(input: &[u8], message: cost::Message, decoded: Option<(Vec<u8>, usize)>) {
    let Some((protobuf, records)) = decoded else { return };
    let counted = protobuf_cost(input, message).expect("it was counted");
    let again = protobuf_cost(&protobuf, message).expect("what is encoded can be counted");
    assert!(records <= counted.messages, "{records} records in {counted:?}");
    assert!(again.messages <= counted.messages && again.depth <= counted.depth, "{again:?} in {counted:?}");
}

/// The fields of a protobuf message. Many of them are messages.
fn fields(source: &mut CaseSource<'_>, depth: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..=source.size(5) {
        let field = match source.below(8) {
            0 => source.below(20),
            1 => source.below(1 << 29),
            2..=4 => 2,
            _ => 1,
        };
        let wire = if depth > 0 && !source.once_in(3) { 2 } else { source.below(8) };
        varint(field << 3 | wire, &mut bytes);
        match wire {
            0 => varint(source.below(1 << 40), &mut bytes),
            1 => bytes.extend([7; 8]),
            2 => {
                let inner = if depth > 0 && !source.once_in(4) {
                    fields(source, depth - 1)
                } else {
                    source.text(4).into_bytes()
                };
                // A length that is wrong now and then.
                let length = if source.once_in(40) { source.below(1 << 34) } else { inner.len() };
                varint(length, &mut bytes);
                bytes.extend(inner);
            }
            5 => bytes.extend([7; 4]),
            _ => {}
        }
    }
    bytes
}

fn varint(mut number: usize, bytes: &mut Vec<u8>) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A request in JSON.
fn request(source: &mut CaseSource<'_>) -> String {
    let is_logs = source.once_in(3);
    let [outer, inner, list] = match is_logs {
        true => ["resourceLogs", "scopeLogs", "logRecords"],
        false => ["resourceSpans", "scopeSpans", "spans"],
    };
    if source.once_in(100) {
        let (many, fragment) = (source.below(50_000), "{},");
        return format!("{{\"{outer}\":[{}{{}}]}}", fragment.repeat(many));
    }
    let records = source.array(4, |source| record(source, is_logs));
    let resource = source.object(&[("attributes", "[]".to_owned())]);
    let scopes = source.object(&[(list, records)]);
    let group = source.object(&[("resource", resource), (inner, format!("[{scopes}]"))]);
    source.object(&[(outer, format!("[{group}]"))])
}

fn record(source: &mut CaseSource<'_>, is_log: bool) -> String {
    let attributes = source.array(4, attribute);
    let id = format!("\"{}\"", source.pick_text(&["eee19b7ec3c1b174", "EEE19B7EC3C1B175", "", "x"]));
    let trace = format!("\"{}\"", source.pick_text(&["5b8efff798038103d269b633813fc60c", "", "00"]));
    let time = if source.once_in(2) { source.number() } else { format!("\"{}\"", source.number()) };
    if is_log {
        let body = any_value(source, 4);
        return source.object(&[
            ("traceId", trace),
            ("spanId", id),
            ("timeUnixNano", time),
            ("body", body),
            ("attributes", attributes),
        ]);
    }
    let events = source.array(2, |source| {
        let attributes = source.array(2, attribute);
        source.object(&[("name", "\"gen_ai.user.message\"".to_owned()), ("attributes", attributes)])
    });
    source.object(&[
        ("traceId", trace),
        ("spanId", id.clone()),
        ("parentSpanId", id),
        ("name", "\"chat\"".to_owned()),
        ("startTimeUnixNano", time.clone()),
        ("endTimeUnixNano", time),
        ("attributes", attributes),
        ("events", events),
    ])
}

fn attribute(source: &mut CaseSource<'_>) -> String {
    let (key, value) = (source.json_string(), any_value(source, 4));
    source.object(&[("key", key), ("value", value)])
}

fn any_value(source: &mut CaseSource<'_>, depth: usize) -> String {
    let field = match source.below(if depth == 0 { 5 } else { 8 }) {
        0 => ("intValue", format!("\"{}\"", source.number())),
        1 => ("doubleValue", source.number()),
        2 => ("boolValue", "true".to_owned()),
        3 => ("bytesValue", source.json_string()),
        4 | 5 => ("stringValue", source.json_string()),
        6 => {
            let values = source.array(3, |source| any_value(source, depth - 1));
            ("arrayValue", source.object(&[("values", values)]))
        }
        _ => {
            let values = source.array(3, |source| {
                let value = any_value(source, depth - 1);
                source.object(&[("key", "\"k\"".to_owned()), ("value", value)])
            });
            ("kvlistValue", source.object(&[("values", values)]))
        }
    };
    source.object(&[field])
}
