//! A project at a glance.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, Overview};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::wire;

/// Whether the loop of a project turns, stage by stage.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/overview", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "The project at a glance", body = Overview),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_overview(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Overview>, ApiError> {
    let facts = app.engine.store().project(caller.visitor.project).overview().await?;
    Ok(Json(wire::overview(facts, SystemTime::now().into())))
}
