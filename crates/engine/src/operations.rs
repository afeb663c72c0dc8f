//! Spans of our own operations, for agents that trace their runs. The server exports them if it is configured to, and they
//! cost nothing otherwise. They contain ids and numbers, and no text of a run.

use tracing::{Instrument as _, Span};

/// The target of these spans. Log lines leave them out.
pub const OPERATION: &str = "reflect_operation";

/// A span of an operation. Its fields are recorded when its result is known.
macro_rules! operation {
    ($name:literal, $($fields:tt)*) => {
        tracing::info_span!(
            target: $crate::operations::OPERATION,
            $name,
            gen_ai.operation.name = $name,
            "error.type" = tracing::field::Empty,
            $($fields)*
        )
    };
}
pub(crate) use operation;

/// Runs an operation in its span. `note` records what came of it.
pub(crate) async fn traced<T, E>(
    span: Span,
    work: impl Future<Output = Result<T, E>>,
    note: impl FnOnce(&Span, &T),
) -> Result<T, E> {
    let result = work.instrument(span.clone()).await;
    match &result {
        Ok(value) => note(&span, value),
        Err(_) => {
            span.record("error.type", "failed");
        }
    }
    result
}
