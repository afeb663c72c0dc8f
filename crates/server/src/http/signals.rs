//! Signals: sending them, and what they mean for a run.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reflect_api::{
    AcceptedSignal, ErrorBody, FeedbackToken, IssueFeedbackToken, SendSignal, SendSignals, SignalItem,
    SignalSources, SignalsAnswer, SignalsOfTrace,
};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::http::reviews::trace_id;
use crate::wire;

/// Report the outcome of a run: a CI result, a vote, a reopened ticket, a merge.
///
/// The rules of the project turn signals into reviews, in the background. The run may arrive later.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/signals", tag = "signals", request_body = SendSignal,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, description = "Stored", body = AcceptedSignal),
              (status = 404, description = "The run was deleted", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn send_signal(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<SendSignal>,
) -> Result<(StatusCode, Json<AcceptedSignal>), ApiError> {
    let signal = vec![wire::submitted_signal(request.body)];
    let accepted = app.engine.signals.accept(&caller.visitor, signal, request.claim.as_ref()).await?;
    let accepted = accepted.into_iter().next().ok_or_else(ApiError::internal)??;
    Ok((StatusCode::ACCEPTED, Json(wire::accepted_signal(accepted))))
}

/// Report the outcomes of many runs. Each has its own result.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/signals/batch", tag = "signals", request_body = SendSignals,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "One result for each signal, in order", body = SignalsAnswer),
              (status = "4XX", description = "All refused", body = ErrorBody)))]
pub(crate) async fn send_signals(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<SendSignals>,
) -> Result<Json<SignalsAnswer>, ApiError> {
    let signals = request.body.signals.into_iter().map(wire::submitted_signal).collect();
    let accepted = app.engine.signals.accept(&caller.visitor, signals, request.claim.as_ref()).await?;
    let request_id = caller.actor.origin.request_id.unwrap_or_default();
    let results = accepted.into_iter().map(|outcome| match outcome {
        Ok(signal) => SignalItem::Taken(wire::accepted_signal(signal)),
        Err(error) => SignalItem::Refused { error: ApiError::from(error).into_detail(request_id.clone()) },
    });
    Ok(Json(SignalsAnswer { results: results.collect() }))
}

/// List the signals about a run, and what each means now. Some are withheld until a person has reviewed the run.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/traces/{trace_id}/signals", tag = "signals",
    params(("project_id" = String, Path), ("trace_id" = String, Path)),
    responses((status = 200, description = "The signals, oldest first", body = SignalsOfTrace),
              (status = 404, description = "No such trace in this project", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_trace_signals(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<SignalsOfTrace>, ApiError> {
    let found = app.engine.signals.of_trace(&caller.visitor, trace_id(&id)?).await?;
    Ok(Json(wire::signals_of_trace(found)))
}

/// Get the sources of signals: their rules, and how well each agrees with people.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/signals/sources", tag = "signals",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The sources, highest precedence first", body = SignalSources),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_signal_sources(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<SignalSources>, ApiError> {
    let report = app.engine.signals.sources(&caller.visitor).await?;
    Ok(Json(wire::signal_sources(report)))
}

/// Issue a token with which a browser can vote on this run, without a key. The run may arrive later.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/traces/{trace_id}/feedback-token", tag = "signals",
    request_body = IssueFeedbackToken,
    params(("project_id" = String, Path), ("trace_id" = String, Path)),
    responses((status = 201, description = "The token", body = FeedbackToken),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn issue_feedback_token(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<IssueFeedbackToken>,
) -> Result<(StatusCode, Json<FeedbackToken>), ApiError> {
    let trace = trace_id(&id)?;
    let life = request.body.expires_in_seconds.map(Duration::from_secs);
    let issued = app.engine.signals.issue_token(&caller.visitor, trace, life).await?;
    Ok((StatusCode::CREATED, Json(wire::feedback_token(trace, issued))))
}
