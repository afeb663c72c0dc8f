//! The diagnosis for `reflect doctor`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{Diagnosis, ErrorBody};

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::wire;

/// Get the caller's name and scopes, and the state of the models.
///
/// The embedding model is called with one fixed text. The model that writes lessons is not called. `reflect doctor`
/// shows this together with `/ready`, `/metrics` and the loop health.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/diagnosis", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "The diagnosis", body = Diagnosis),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_diagnosis(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Diagnosis>, ApiError> {
    let diagnosis = app.engine.insights.diagnose(&caller.visitor).await?;
    let restricted = app.engine.store.server().is_restricted();
    Ok(Json(wire::diagnosis(&caller.visitor, diagnosis, restricted)))
}
