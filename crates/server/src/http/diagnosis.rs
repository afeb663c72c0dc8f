//! What the server can say of itself to whoever looks for what is wrong.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reflect_api::{Diagnosis, ErrorBody};

use crate::app::App;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use crate::wire;

/// Say who asks, what they may do, and how the models are doing.
///
/// The embedder is asked for one vector of a fixed text; the model that writes lessons is not asked. `reflect doctor`
/// shows this together with `/ready`, `/metrics` and the health of the loop.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/diagnosis", tag = "learning", params(("project_id" = String, Path)),
    responses((status = 200, description = "How things are", body = Diagnosis),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn get_diagnosis(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<Diagnosis>, ApiError> {
    let diagnosis = app.engine.diagnose(&caller.visitor).await?;
    Ok(Json(wire::diagnosis(&caller.visitor, diagnosis)))
}
