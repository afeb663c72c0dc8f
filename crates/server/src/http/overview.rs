//! The overview of a project, and the story of one of its lessons.

use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use reflect_api::{ErrorBody, Overview, OverviewStory};

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

/// Get an example of how the project learned: a failed run, its lesson, and a later run that used the lesson and passed.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/overview/story", tag = "learning",
    params(("project_id" = String, Path)),
    responses((status = 200, description = "The story, or null", body = OverviewStory),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_overview_story(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<OverviewStory>, ApiError> {
    Ok(Json(wire::overview_story(app.engine.insights.story(&caller.visitor).await?)))
}
