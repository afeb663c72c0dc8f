//! The first key of an installation.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use reflect_api::{Bootstrap, Bootstrapped, ErrorBody};

use crate::app::App;
use crate::error::ApiError;
use crate::http::json::Post;
use crate::http::origin::Origin;
use crate::wire;

/// Create the first project and a master key. Works once.
#[utoipa::path(
    post, path = "/v1/bootstrap", tag = "projects", request_body = Bootstrap,
    params(("X-Bootstrap-Token" = String, Header, description = "The server's REFLECT_BOOTSTRAP_TOKEN")),
    responses((status = 201, description = "The first key", body = Bootstrapped),
              (status = 401, description = "The token is wrong, or the server has none", body = ErrorBody),
              (status = 409, description = "Bootstrap has already been used", body = ErrorBody),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn bootstrap(
    State(app): State<Arc<App>>,
    Origin(origin): Origin,
    headers: HeaderMap,
    request: Post<Bootstrap>,
) -> Result<(StatusCode, Json<Bootstrapped>), ApiError> {
    let token = headers.get("x-bootstrap-token").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Bootstrap { user_id, project_id, .. } = request.body.clone();
    let key = app.engine.keys.bootstrap(token, wire::first_key(request.body), origin).await?;
    let api_key = key.expose().to_owned();
    Ok((StatusCode::CREATED, Json(Bootstrapped { user_id, project_id, api_key })))
}
