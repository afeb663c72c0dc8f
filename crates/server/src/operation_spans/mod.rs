//! Spans of our own operations, exported as OTLP to a configured receiver. Off by default.
//!
//! The engine names its operations with `tracing` spans of one target. `layer` collects them, with the trace context of the
//! request in which they run, and `export` sends them. Not the OpenTelemetry SDK: it reads environment variables, and would
//! connect to addresses that are not configured here.

mod context;
mod export;
mod layer;

pub(crate) use context::TraceContext;
pub use export::SpanDestination;
pub use layer::SpanQueue;
pub(crate) use layer::{CONTEXT_SPAN, OperationLayer};
