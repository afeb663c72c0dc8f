//! One review for many traces.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{BulkReviewed, ErrorBody, ReviewInBulk};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::json::Post;
use crate::wire;

/// Give many traces the same review, as one action.
///
/// With `dry_run`, the response says what would happen. Traces that already have a review are skipped. An interrupted
/// request may have reviewed some traces. The same request again reviews the rest, as another action.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/reviews/bulk", tag = "reviews", request_body = ReviewInBulk,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The result, or the preview", body = BulkReviewed),
              (status = "4XX", description = "All refused", body = ErrorBody)))]
pub(crate) async fn review_in_bulk(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReviewInBulk>,
) -> Result<Json<BulkReviewed>, ApiError> {
    let dry_run = request.body.dry_run;
    let verdict = wire::bulk_verdict(request.body)?;
    let outcome = app.engine.bulk_reviews.submit(&caller.visitor, verdict, &caller.actor).await?;
    Ok(Json(wire::bulk_reviewed(dry_run, &outcome)))
}
