//! What a protobuf request would cost to decode, without decoding it.
//!
//! An empty span has two bytes, and takes 400 bytes of memory when it is decoded: the size of a request says little about
//! its cost. This reads tags and lengths only. A field that is not known is skipped, as the decoder does.

/// The messages of OTLP, as far as they contain each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    TraceRequest,
    ResourceSpans,
    ScopeSpans,
    Span,
    LogsRequest,
    ResourceLogs,
    ScopeLogs,
    LogRecord,
    /// A message with attributes in field 1 and nothing else that is nested deeper.
    Resource,
    /// One with attributes in field 3: a scope or an event.
    Attributed,
    Link,
    KeyValue,
    AnyValue,
    ArrayValue,
    KeyValueList,
    /// Its lists of names count like messages: an empty name takes two bytes, and 24 when it is decoded.
    EntityRef,
    /// A message that contains no others.
    Leaf,
}

/// How much a request contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ProtobufCost {
    /// How deep messages are nested.
    pub(super) depth: usize,
    /// The number of messages.
    pub(super) messages: usize,
}

/// The text is not protobuf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// Counts the nested messages of a request.
pub(super) fn protobuf_cost(bytes: &[u8], request: Message) -> Result<ProtobufCost, Malformed> {
    let mut cost = ProtobufCost::default();
    // The messages that are open, and where they end.
    let mut open = vec![(request, bytes.len())];
    let mut at = 0;
    while let Some((message, end)) = open.last().copied() {
        if at == end {
            open.pop();
            continue;
        }
        let tag = varint(bytes, &mut at, end)?;
        let length = match tag & 7 {
            0 => {
                varint(bytes, &mut at, end)?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(bytes, &mut at, end)?).map_err(|_| Malformed)?,
            5 => 4,
            _ => return Err(Malformed),
        };
        let next = at.checked_add(length).filter(|next| *next <= end).ok_or(Malformed)?;
        match child(message, tag >> 3).filter(|_| tag & 7 == 2) {
            None => at = next,
            Some(inner) => {
                cost.messages += 1;
                cost.depth = cost.depth.max(open.len());
                open.push((inner, next));
            }
        }
    }
    Ok(cost)
}

const fn child(message: Message, field: u64) -> Option<Message> {
    use Message::{
        AnyValue, ArrayValue, Attributed, EntityRef, KeyValue, KeyValueList, Leaf, Link, LogRecord,
        LogsRequest, Resource, ResourceLogs, ResourceSpans, ScopeLogs, ScopeSpans, Span, TraceRequest,
    };
    Some(match (message, field) {
        (TraceRequest, 1) => ResourceSpans,
        (LogsRequest, 1) => ResourceLogs,
        (ResourceSpans | ResourceLogs, 1) => Resource,
        (ResourceSpans, 2) => ScopeSpans,
        (ResourceLogs, 2) => ScopeLogs,
        (ScopeSpans | ScopeLogs, 1) | (Span, 11) => Attributed,
        (ScopeSpans, 2) => Span,
        (ScopeLogs, 2) => LogRecord,
        (Span, 9) | (LogRecord, 6) | (Resource, 1) | (Attributed, 3) | (Link, 4) | (KeyValueList, 1) => {
            KeyValue
        }
        (Span, 13) => Link,
        (Resource, 3) => EntityRef,
        (Span, 15) | (EntityRef, 3 | 4) => Leaf,
        (LogRecord, 5) | (KeyValue, 2) | (ArrayValue, 1) => AnyValue,
        (AnyValue, 5) => ArrayValue,
        (AnyValue, 6) => KeyValueList,
        _ => return None,
    })
}

fn varint(bytes: &[u8], at: &mut usize, end: usize) -> Result<u64, Malformed> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let byte = bytes[..end].get(*at).ok_or(Malformed)?;
        *at += 1;
        value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, any_value::Value};
    use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
    use prost::Message as _;

    fn request(spans: Vec<Span>) -> Vec<u8> {
        let scope_spans = vec![ScopeSpans { spans, ..ScopeSpans::default() }];
        let resource_spans = vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }];
        ExportTraceServiceRequest { resource_spans }.encode_to_vec()
    }

    fn nested(levels: usize) -> AnyValue {
        let value = match levels {
            0 => Value::StringValue("x".to_owned()),
            _ => Value::ArrayValue(ArrayValue { values: vec![nested(levels - 1)] }),
        };
        AnyValue { value: Some(value) }
    }

    fn attribute(value: AnyValue) -> KeyValue {
        KeyValue { key: "k".to_owned(), value: Some(value), ..KeyValue::default() }
    }

    #[test]
    fn messages_are_counted_with_their_depth() {
        let span = Span { name: "s".to_owned(), attributes: vec![attribute(nested(0))], ..Span::default() };
        let cost = protobuf_cost(&request(vec![span.clone(), span]), Message::TraceRequest).unwrap();
        // Resource, scope, and two spans with an attribute and its value.
        assert_eq!(cost, ProtobufCost { depth: 5, messages: 8 });
    }

    #[test]
    fn empty_spans_and_deep_values_are_seen_for_what_they_cost() {
        let many = request(vec![Span::default(); 100_000]);
        assert!(many.len() < 210_000);
        assert_eq!(protobuf_cost(&many, Message::TraceRequest).unwrap().messages, 100_002);
        let deep = request(vec![Span { attributes: vec![attribute(nested(90))], ..Span::default() }]);
        assert!(protobuf_cost(&deep, Message::TraceRequest).unwrap().depth > 180);
    }

    #[test]
    fn names_of_entities_count_like_messages() {
        let mut entity = Vec::new();
        entity.extend([0x1a, 0].repeat(1_000));
        let mut resource = vec![0x1a];
        prost::encoding::encode_varint(entity.len() as u64, &mut resource);
        resource.extend(entity);
        let mut spans = vec![0x0a];
        prost::encoding::encode_varint(resource.len() as u64, &mut spans);
        spans.extend(resource);
        let mut request = vec![0x0a];
        prost::encoding::encode_varint(spans.len() as u64, &mut request);
        request.extend(spans);
        assert_eq!(protobuf_cost(&request, Message::TraceRequest).unwrap().messages, 1_003);
    }

    #[test]
    fn what_is_not_protobuf_is_refused_and_unknown_fields_are_skipped() {
        for bytes in
            [&b"\x0a"[..], b"\x0a\x05x", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x0b", b"{}"]
        {
            assert_eq!(protobuf_cost(bytes, Message::TraceRequest), Err(Malformed), "{bytes:?}");
        }
        // Field 100 as a number, and as bytes.
        let unknown = b"\xa0\x06\x05\xa2\x06\x02ab";
        assert_eq!(protobuf_cost(unknown, Message::TraceRequest), Ok(ProtobufCost::default()));
        assert_eq!(protobuf_cost(b"", Message::LogsRequest), Ok(ProtobufCost::default()));
    }
}
