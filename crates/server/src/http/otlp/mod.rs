//! OpenTelemetry: spans and log records over OTLP/HTTP, as protobuf or JSON.
//!
//! The project is that of the key, or the one in the header `X-Project-Id`. Requests pass the same limits as all others;
//! what a request would cost to decode is counted before it is decoded. Errors are `google.rpc.Status` messages, as the
//! protocol requires.

mod convert;
mod cost;
mod decode;
pub(crate) mod encoding;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use reflect_engine::SpanReceipt;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use decode::{SentLogs, SentSpans};
use encoding::{Encoding, PartialSuccess, Rejected};

/// Receive OpenTelemetry spans.
///
/// OTLP/HTTP, as protobuf or JSON. The spans of a run become one trace when its root has ended. Point an exporter here with
/// `OTEL_EXPORTER_OTLP_ENDPOINT=https://…/otlp` and `OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20rf_live_…`.
#[utoipa::path(
    post, path = "/otlp/v1/traces", operation_id = "receive_otlp_traces", tag = "otlp",
    request_body(content((Object = "application/json"), (Object = "application/x-protobuf"))),
    params(("X-Project-Id" = Option<String>, Header, description = "The project. Required with a master key")),
    responses((status = 200, description = "Received. `partialSuccess` says what was not", body = Object),
              (status = "4XX", description = "Refused. The body is a `google.rpc.Status`", body = Object)))]
pub(crate) async fn receive_traces(
    State(app): State<Arc<App>>,
    caller: Caller,
    SentSpans { encoding, telemetry }: SentSpans,
) -> Result<Response, ApiError> {
    let receipt = app.engine.spans.receive(&caller.visitor, telemetry).await?;
    Ok(answer(encoding, Rejected::Spans, &receipt))
}

/// Receive OpenTelemetry log records.
///
/// Messages of model calls that instrumentations send as events become part of their run. Results of evaluations
/// (`gen_ai.evaluation.result`) become signals. Other records are ignored.
#[utoipa::path(
    post, path = "/otlp/v1/logs", operation_id = "receive_otlp_logs", tag = "otlp",
    request_body(content((Object = "application/json"), (Object = "application/x-protobuf"))),
    params(("X-Project-Id" = Option<String>, Header, description = "The project. Required with a master key")),
    responses((status = 200, description = "Received. `partialSuccess` says what was not", body = Object),
              (status = "4XX", description = "Refused. The body is a `google.rpc.Status`", body = Object)))]
pub(crate) async fn receive_logs(
    State(app): State<Arc<App>>,
    caller: Caller,
    SentLogs { encoding, telemetry }: SentLogs,
) -> Result<Response, ApiError> {
    let receipt = app.engine.spans.receive(&caller.visitor, telemetry).await?;
    Ok(answer(encoding, Rejected::LogRecords, &receipt))
}

fn answer(encoding: Encoding, rejected: Rejected, receipt: &SpanReceipt) -> Response {
    let count = i64::try_from(receipt.rejected()).unwrap_or(i64::MAX);
    let partial = (count > 0).then(|| PartialSuccess { rejected: count, message: reasons(receipt) });
    encoding::success(encoding, rejected, partial)
}

/// Why records were rejected.
fn reasons(receipt: &SpanReceipt) -> String {
    let reasons = [
        (
            receipt.late,
            "arrived after their run had ended; see the settings otlp.grace_seconds and otlp.quiet_seconds",
        ),
        (receipt.dropped, "belong to a run that is too large; see the setting otlp.max_run_bytes"),
        (receipt.refused, "have no valid id, or contain personal data that the project does not accept"),
        (receipt.not_evaluated, "are results of evaluations that no rule of the project uses"),
    ];
    let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
    let sentences: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
    sentences.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_named_with_its_number() {
        let receipt = SpanReceipt { late: 2, not_evaluated: 1, staged: 9, ..SpanReceipt::default() };
        assert_eq!(receipt.rejected(), 3);
        assert_eq!(
            reasons(&receipt),
            "2 arrived after their run had ended; see the settings otlp.grace_seconds and otlp.quiet_seconds. \
             1 are results of evaluations that no rule of the project uses"
        );
    }
}
