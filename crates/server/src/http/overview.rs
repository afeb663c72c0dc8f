//! The overview of a project.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, Overview};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::wire;

/// Get the state of the learning loop, by stage.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/overview", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "The overview", body = Overview),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_overview(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Overview>, ApiError> {
    let facts = app.engine.store.project(caller.visitor.project).insights().overview().await?;
    Ok(Json(wire::overview(facts, SystemTime::now().into())))
}
