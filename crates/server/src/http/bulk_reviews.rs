//! One review for many traces.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{BulkReviewed, ErrorBody, ReviewInBulk};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::http::json::Post;
use crate::wire;

/// Review many traces alike, as one action.
///
/// With `dry_run` the answer says what would happen. Traces that get a review in the meantime are skipped. A call
/// that is cut off may have reviewed some of them; the same call again reviews the rest, as another action.
#[utoipa::path(
    post, path = "/v1/projects/{project_id}/reviews/bulk", tag = "reviews", request_body = ReviewInBulk,
    params(("project_id" = String, Path)),
    responses((status = 200, description = "What happened, or would happen", body = BulkReviewed),
              (status = "4XX", description = "Refused as a whole", body = ErrorBody)))]
pub(crate) async fn review_in_bulk(
    State(app): State<Arc<App>>,
    caller: Caller,
    request: Post<ReviewInBulk>,
) -> Result<Json<BulkReviewed>, ApiError> {
    let dry_run = request.body.dry_run;
    let verdict = wire::bulk_verdict(request.body)?;
    let outcome = app.engine.review_bulk(&caller.visitor, verdict, &caller.actor).await?;
    Ok(Json(wire::bulk_reviewed(dry_run, &outcome)))
}
