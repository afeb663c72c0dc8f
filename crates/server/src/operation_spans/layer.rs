//! Collects the spans of operations as they end.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, Status};
use tokio::sync::Notify;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::TraceContext;

/// The name of the span that carries the context of a request. It is not exported.
pub(crate) const CONTEXT_SPAN: &str = "traceparent";
/// The field of that span.
const HEADER: &str = "header";
/// The field of a span whose operation failed.
const ERROR: &str = "error.type";
/// Spans that wait to be sent. Further ones are dropped.
const MOST_WAITING: usize = 8192;
/// With this many, they are sent at once.
pub(super) const BATCH: usize = 512;

/// Spans that have ended and are not sent yet.
#[derive(Debug, Default)]
pub struct SpanQueue {
    waiting: Mutex<VecDeque<Span>>,
    full: Notify,
}

impl SpanQueue {
    fn push(&self, span: Span) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST_WAITING {
            metrics::counter!("reflect_exported_spans_total", "result" => "dropped").increment(1);
            return;
        }
        waiting.push_back(span);
        if waiting.len() >= BATCH {
            self.full.notify_one();
        }
    }

    /// The oldest spans, at most one batch.
    pub(super) fn take(&self) -> Vec<Span> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.len().min(BATCH);
        waiting.drain(..count).collect()
    }

    /// Waits until there is a batch.
    pub(super) async fn filled(&self) {
        self.full.notified().await;
    }
}

/// Puts the spans of operations into a queue.
pub(crate) struct OperationLayer {
    queue: Arc<SpanQueue>,
}

impl OperationLayer {
    pub(crate) const fn new(queue: Arc<SpanQueue>) -> Self {
        Self { queue }
    }
}

/// A span that is open.
struct OpenSpan {
    context: TraceContext,
    parent: Option<u64>,
    start: u64,
    fields: Fields,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for OperationLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, registry: Context<'_, S>) {
        let Some(span) = registry.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if span.name() == CONTEXT_SPAN {
            if let Some(context) = fields.header.as_deref().and_then(TraceContext::parse) {
                span.extensions_mut().insert(context);
            }
            return;
        }
        let around = around(&span);
        let span_id = rand::random::<u64>().max(1);
        let context = match around {
            Some(context) => TraceContext { span_id, ..context },
            None => TraceContext { trace_id: rand::random::<u128>().max(1), span_id, sampled: true },
        };
        let parent = around.map(|context| context.span_id);
        let mut extensions = span.extensions_mut();
        extensions.insert(context);
        extensions.insert(OpenSpan { context, parent, start: now(), fields });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, registry: Context<'_, S>) {
        let Some(span) = registry.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            values.record(&mut open.fields);
        }
    }

    fn on_close(&self, id: Id, registry: Context<'_, S>) {
        let Some(span) = registry.span(&id) else { return };
        let open = span.extensions_mut().remove::<OpenSpan>();
        if let Some(open) = open.filter(|open| open.context.sampled) {
            self.queue.push(open.ended(span.name()));
        }
    }
}

/// The context of the nearest span around this one that has one.
fn around<'a, S: LookupSpan<'a>>(span: &SpanRef<'a, S>) -> Option<TraceContext> {
    span.scope().skip(1).find_map(|span| span.extensions().get::<TraceContext>().copied())
}

impl OpenSpan {
    fn ended(self, name: &str) -> Span {
        let failed = self.fields.values.iter().any(|field| field.key == ERROR);
        Span {
            trace_id: self.context.trace_id.to_be_bytes().to_vec(),
            span_id: self.context.span_id.to_be_bytes().to_vec(),
            parent_span_id: self.parent.map(|parent| parent.to_be_bytes().to_vec()).unwrap_or_default(),
            name: name.to_owned(),
            kind: SpanKind::Server.into(),
            start_time_unix_nano: self.start,
            end_time_unix_nano: now(),
            attributes: self.fields.values,
            status: failed.then(|| Status { code: StatusCode::Error.into(), ..Status::default() }),
            ..Span::default()
        }
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(u64::MAX)
}

/// The fields of a span.
#[derive(Default)]
struct Fields {
    values: Vec<KeyValue>,
    header: Option<String>,
}

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        let value = Some(AnyValue { value: Some(value) });
        self.values.push(KeyValue { key: field.name().to_owned(), value, ..KeyValue::default() });
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, Value::StringValue(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == HEADER {
            self.header = Some(value.to_owned());
        } else {
            self.add(field, Value::StringValue(value.to_owned()));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, Value::IntValue(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, Value::IntValue(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, Value::BoolValue(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_engine::OPERATION;
    use tracing_subscriber::layer::SubscriberExt as _;

    /// The spans of some work.
    fn spans_of(work: impl FnOnce()) -> Vec<Span> {
        let queue = Arc::new(SpanQueue::default());
        let subscriber = tracing_subscriber::registry().with(OperationLayer::new(queue.clone()));
        tracing::subscriber::with_default(subscriber, work);
        queue.take()
    }

    fn operation() {
        let span =
            tracing::info_span!(target: OPERATION, "search_memory", reflect.memories = tracing::field::Empty);
        span.in_scope(|| {
            span.record("reflect.memories", 3_usize);
            drop(tracing::info_span!(target: OPERATION, "inner", "error.type" = "failed"));
        });
    }

    #[test]
    fn an_operation_is_in_the_trace_of_its_request() {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let spans =
            spans_of(|| tracing::info_span!(target: OPERATION, CONTEXT_SPAN, header).in_scope(operation));
        let [inner, outer] = spans.as_slice() else { panic!("{spans:?}") };
        assert_eq!((inner.name.as_str(), outer.name.as_str()), ("inner", "search_memory"));
        assert_eq!(outer.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes());
        assert_eq!(outer.parent_span_id, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
        assert_eq!((&inner.trace_id, &inner.parent_span_id), (&outer.trace_id, &outer.span_id));
        assert_eq!(inner.status.as_ref().unwrap().code, StatusCode::Error as i32);
        let memories = &outer.attributes[0];
        assert_eq!(memories.key, "reflect.memories");
        assert_eq!(memories.value.as_ref().unwrap().value, Some(Value::IntValue(3)));
        assert!(outer.end_time_unix_nano >= outer.start_time_unix_nano && outer.status.is_none());
    }

    #[test]
    fn an_operation_without_a_context_begins_a_trace() {
        let spans = spans_of(operation);
        assert_eq!((spans.len(), spans[1].parent_span_id.len()), (2, 0));
        assert_eq!(spans[0].trace_id, spans[1].trace_id);
    }

    #[test]
    fn nothing_is_collected_if_the_sender_does_not_record_its_trace() {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
        let spans =
            spans_of(|| tracing::info_span!(target: OPERATION, CONTEXT_SPAN, header).in_scope(operation));
        assert_eq!(spans, []);
    }

    #[test]
    fn a_queue_that_is_not_emptied_does_not_grow() {
        let queue = SpanQueue::default();
        for _ in 0..MOST_WAITING + 10 {
            queue.push(Span::default());
        }
        let mut taken = 0;
        loop {
            let batch = queue.take();
            if batch.is_empty() {
                break;
            }
            assert!(batch.len() <= BATCH);
            taken += batch.len();
        }
        assert_eq!(taken, MOST_WAITING);
    }
}
