//! Projects. They are made by naming them with a master key, so there is only an end to describe.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{DeletedProject, ErrorBody};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;

/// Delete a project with everything in it. Its keys stop working at once.
#[utoipa::path(
    delete, path = "/v1/projects/{project_id}", tag = "projects", params(("project_id" = String, Path)),
    responses((status = 200, description = "Deleted", body = DeletedProject),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn delete_project(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<DeletedProject>, ApiError> {
    let revoked_keys = app.engine.delete_project(&caller.visitor, &caller.actor).await?;
    let project_id = caller.visitor.slug.to_string();
    Ok(Json(DeletedProject { project_id, deleted: true, revoked_keys }))
}
