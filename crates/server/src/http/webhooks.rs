//! Webhooks: endpoints that receive events, and the log of deliveries.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use reflect_api::{
    ChangeWebhook, CreateWebhook, CreatedWebhook, ErrorBody, QueuedDelivery, RotateWebhookSecret, Webhook,
    WebhookDelivery, WebhookDeliveryDetail,
};
use reflect_types::DeliveryState;
use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::{Post, Repeatable};
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// Create a webhook. Its secret is only in this response.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/webhooks", tag = "webhooks", request_body = CreateWebhook,
    params(("project_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The webhook", body = CreatedWebhook),
              (status = 409, description = "The project has 10 webhooks", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn create_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<CreateWebhook>,
) -> Result<(StatusCode, Json<CreatedWebhook>), ApiError> {
    let (spec, claim) = (wire::webhook_spec(request.body), request.claim.as_ref());
    let made = app.engine.webhooks.create(&caller.visitor, spec, &caller.actor, claim).await?;
    Ok((StatusCode::CREATED, Json(wire::created_webhook(made))))
}

/// List the webhooks of a project, oldest first: at most 10.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/webhooks", tag = "webhooks", params(("project_id" = String, Path)),
    responses((status = 200, description = "Oldest first", body = Vec<Webhook>),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_webhooks(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Vec<Webhook>>, ApiError> {
    let rows = app.engine.store.project(caller.visitor.project).admin().webhooks().list().await?;
    Ok(Json(rows.into_iter().map(wire::webhook).collect()))
}

/// Get a webhook.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/webhooks/{webhook_id}", tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, description = "The webhook", body = Webhook),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Webhook>, ApiError> {
    let id = webhook_id(&id)?;
    let row = app.engine.store.project(caller.visitor.project).admin().webhooks().get(id).await?;
    Ok(Json(wire::webhook(row)))
}

/// Change a webhook, or enable or disable it. Absent fields stay unchanged.
#[utoipa::path(
    patch, path = "/v1/projects/{project_id}/webhooks/{webhook_id}", tag = "webhooks", request_body = ChangeWebhook,
    params(("project_id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 200, description = "The webhook after the change", body = Webhook),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn change_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<ChangeWebhook>,
) -> Result<Json<Webhook>, ApiError> {
    let (id, change) = (webhook_id(&id)?, wire::webhook_change(request.body));
    let row = app.engine.webhooks.update(&caller.visitor, id, change, &caller.actor).await?;
    Ok(Json(wire::webhook(row)))
}

/// Delete a webhook. Its waiting deliveries are not sent.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}/webhooks/{webhook_id}", tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path)),
    responses((status = 204, description = "Deleted"),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
) -> Result<StatusCode, ApiError> {
    app.engine.webhooks.delete(&caller.visitor, webhook_id(&id)?, &caller.actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Give a webhook a new secret, which is only in this response. Requests are signed with both secrets for a day, or for the
/// time of `overlap_hours`.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/webhooks/{webhook_id}/rotate", tag = "webhooks",
    request_body = RotateWebhookSecret,
    params(("project_id" = String, Path), ("webhook_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, description = "The webhook with its new secret", body = CreatedWebhook),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn rotate_webhook_secret(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    request: Post<RotateWebhookSecret>,
) -> Result<(StatusCode, Json<CreatedWebhook>), ApiError> {
    let (id, overlap) = (webhook_id(&id)?, wire::secret_overlap(&request.body));
    let claim = request.claim.as_ref();
    let made = app.engine.webhooks.rotate(&caller.visitor, id, overlap, &caller.actor, claim).await?;
    Ok((StatusCode::CREATED, Json(wire::created_webhook(made))))
}

/// Send an event of the type `webhook.test` to a webhook.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/webhooks/{webhook_id}/test", tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, description = "The delivery", body = QueuedDelivery),
              (status = 409, description = "The webhook is disabled", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn test_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    Repeatable(claim): Repeatable,
) -> Result<(StatusCode, Json<QueuedDelivery>), ApiError> {
    let (id, claim) = (webhook_id(&id)?, claim.as_ref());
    let delivery_id = app.engine.webhooks.test(&caller.visitor, id, &caller.actor, claim).await?;
    Ok((StatusCode::ACCEPTED, Json(QueuedDelivery { delivery_id })))
}

/// Which deliveries to list.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct DeliveryQuery {
    state: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// List the deliveries of a webhook, newest first. They are kept for 14 days.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/webhooks/{webhook_id}/deliveries", tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path),
           ("state" = Option<DeliveryState>, Query),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<WebhookDelivery>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_webhook_deliveries(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id)): Path<(String, String)>,
    query: Result<Query<DeliveryQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let (id, Query(DeliveryQuery { state, limit, cursor })) = (webhook_id(&id)?, query?);
    let state = state.as_deref().map(str::parse::<DeliveryState>).transpose();
    let state = state.map_err(|error| ApiError::invalid(error.to_string()))?;
    let paging = PageQuery { limit, cursor };
    let (limit, before) = (paging.limit()?, paging.cursor()?);
    let project = app.engine.store.project(caller.visitor.project);
    let mut rows = project.admin().webhooks().log().list(id, state, before, i64::from(limit) + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|row| row.delivery_id);
    Ok(page(rows.into_iter().map(wire::webhook_delivery).collect(), next))
}

/// Get a delivery with the data of its event.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/webhooks/{webhook_id}/deliveries/{delivery_id}", tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path), ("delivery_id" = String, Path)),
    responses((status = 200, description = "The delivery", body = WebhookDeliveryDetail),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_webhook_delivery(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id, delivery)): Path<(String, String, String)>,
) -> Result<Json<WebhookDeliveryDetail>, ApiError> {
    let (id, delivery) = (webhook_id(&id)?, delivery_id(&delivery)?);
    let project = app.engine.store.project(caller.visitor.project);
    let found = project.admin().webhooks().log().get(id, delivery).await?;
    Ok(Json(wire::webhook_delivery_detail(found)))
}

/// Send the event of a delivery again, with the same event id.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver",
    tag = "webhooks",
    params(("project_id" = String, Path), ("webhook_id" = String, Path), ("delivery_id" = String, Path),
           ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 202, description = "The new delivery", body = QueuedDelivery),
              (status = 409, description = "The webhook is disabled, or the delivery has not ended", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn redeliver_webhook(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((_, id, delivery)): Path<(String, String, String)>,
    Repeatable(claim): Repeatable,
) -> Result<(StatusCode, Json<QueuedDelivery>), ApiError> {
    let (id, delivery) = (webhook_id(&id)?, delivery_id(&delivery)?);
    let (webhooks, claim) = (&app.engine.webhooks, claim.as_ref());
    let delivery_id = webhooks.redeliver(&caller.visitor, id, delivery, &caller.actor, claim).await?;
    Ok((StatusCode::ACCEPTED, Json(QueuedDelivery { delivery_id })))
}

fn webhook_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("webhook"))
}

fn delivery_id(text: &str) -> Result<Uuid, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("delivery"))
}
