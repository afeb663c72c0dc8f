//! OpenTelemetry: spans and log records over OTLP/HTTP, as protobuf or JSON.
//!
//! The project is that of the key, or the one in the header `X-Project-Id`. Requests pass the same limits as all others;
//! what a request would cost to decode is counted before it is decoded. Errors are `google.rpc.Status` messages, as the
//! protocol requires.

mod convert;
mod cost;
mod decode;
pub(crate) mod encoding;
#[cfg(test)]
mod fuzz;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use reflect_engine::SpanReceipt;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use decode::{Received, SentLogs, SentSpans};
use encoding::{Encoding, PartialSuccess, Rejected};

/// When a sender tries again, if too many runs of its project wait.
const RETRY_SECONDS: u16 = 10;

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
    SentSpans(sent): SentSpans,
) -> Result<Response, ApiError> {
    receive(&app, &caller, Rejected::Spans, sent).await
}

/// Receive OpenTelemetry log records.
///
/// Messages of model calls that instrumentations send as events become part of their run. Results of evaluations
/// (`gen_ai.evaluation.result`) become signals of the source `evaluation`, if the key also has the scope `signal:write`. Other
/// records are ignored.
#[utoipa::path(
    post, path = "/otlp/v1/logs", operation_id = "receive_otlp_logs", tag = "otlp",
    request_body(content((Object = "application/json"), (Object = "application/x-protobuf"))),
    params(("X-Project-Id" = Option<String>, Header, description = "The project. Required with a master key")),
    responses((status = 200, description = "Received. `partialSuccess` says what was not", body = Object),
              (status = "4XX", description = "Refused. The body is a `google.rpc.Status`", body = Object)))]
pub(crate) async fn receive_logs(
    State(app): State<Arc<App>>,
    caller: Caller,
    SentLogs(sent): SentLogs,
) -> Result<Response, ApiError> {
    receive(&app, &caller, Rejected::LogRecords, sent).await
}

async fn receive(
    app: &App,
    caller: &Caller,
    rejected: Rejected,
    Received { encoding, telemetry, memory }: Received,
) -> Result<Response, ApiError> {
    let receipt = app.engine.spans.receive(&caller.visitor, telemetry).await?;
    drop(memory);
    if receipt.deferred > 0 {
        // Everything else is stored, and arrives again without an effect.
        let message = format!(
            "{} of the spans would open a run, but too many runs of this project wait for their end; retry after {RETRY_SECONDS} s",
            receipt.deferred
        );
        return Err(ApiError::too_many_requests(message, RETRY_SECONDS));
    }
    Ok(answer(encoding, rejected, &receipt))
}

fn answer(encoding: Encoding, rejected: Rejected, receipt: &SpanReceipt) -> Response {
    let count = match rejected {
        // A span is taken also if the result of an evaluation in one of its events is not. The message says so.
        Rejected::Spans => receipt.rejected(),
        Rejected::LogRecords => receipt.rejected() + receipt.rejected_evaluations(),
    };
    let (count, message) = (i64::try_from(count).unwrap_or(i64::MAX), reasons(receipt));
    let partial = (!message.is_empty()).then_some(PartialSuccess { rejected: count, message });
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
        (receipt.not_permitted, "are results of evaluations, for which the key needs the scope signal:write"),
        (
            receipt.not_evaluated,
            "are results of evaluations without a run, without a verdict that is a known label or a score from 0 to 1, or with \
             a time that is not accepted",
        ),
        (
            receipt.surplus,
            "are results of evaluations beyond the 1000 that one request may have; send fewer at once",
        ),
    ];
    let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
    let sentences: Vec<String> = reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
    sentences.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_beyond_the_limit_of_a_request_are_rejected_with_the_reason() {
        let receipt = SpanReceipt { surplus: 7, evaluated: 1_000, ..SpanReceipt::default() };
        assert_eq!((receipt.rejected(), receipt.rejected_evaluations()), (0, 7));
        assert!(reasons(&receipt).starts_with("7 are results of evaluations beyond the 1000 "));
    }

    #[test]
    fn every_reason_is_named_with_its_number() {
        let receipt = SpanReceipt { late: 2, not_permitted: 1, staged: 9, ..SpanReceipt::default() };
        assert_eq!((receipt.rejected(), receipt.rejected_evaluations()), (2, 1));
        assert_eq!(
            reasons(&receipt),
            "2 arrived after their run had ended; see the settings otlp.grace_seconds and otlp.quiet_seconds. \
             1 are results of evaluations, for which the key needs the scope signal:write"
        );
        assert_eq!(reasons(&SpanReceipt { staged: 9, evaluated: 1, ..SpanReceipt::default() }), "");
    }
}
