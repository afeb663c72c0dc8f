//! Spans and events as the conventions see them: decoded, with attribute values as JSON.

use std::sync::Arc;

use serde_json::{Map, Value};

/// One span.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OtelSpan {
    /// Its id, in hexadecimal.
    pub span_id: String,
    /// The id of its parent. `None` for the root of its trace.
    pub parent_id: Option<String>,
    /// Its name.
    pub name: String,
    /// When it started, in nanoseconds since 1970.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// The message of its status if that is an error. May be empty.
    pub error: Option<String>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// The attributes of the program that sent it, which the spans of a request share.
    pub resource: Arc<Map<String, Value>>,
    /// Its events.
    pub events: Vec<OtelEvent>,
}

/// An event of a span, or a log record that names a span.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OtelEvent {
    /// The span that it belongs to, in hexadecimal. Empty if it names none.
    pub span_id: String,
    /// Its name.
    pub name: String,
    /// When it happened, in nanoseconds since 1970.
    pub at: u64,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// The body of a log record.
    pub body: Value,
}
