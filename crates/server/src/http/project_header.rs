//! The caller of a route without a project in its path: a key for its own project, or for the one in a header.

use axum::http::HeaderMap;
use reflect_store::RequestOrigin;
use reflect_types::ProjectSlug;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::{Caller, bearer};

const PROJECT: &str = "x-project-id";

/// Checks the key and the project. The caller's scopes are not checked.
pub(crate) async fn caller(
    app: &App,
    headers: &HeaderMap,
    origin: RequestOrigin,
) -> Result<Caller, ApiError> {
    let holder = app.engine.access.authenticate(bearer(headers)?, origin.address).await?;
    let slug = match project_named(headers)? {
        Some(slug) => slug,
        None => holder.project().cloned().ok_or_else(|| {
            ApiError::invalid("a master key has no project; name one in the header X-Project-Id")
        })?,
    };
    let visitor = app.engine.access.enter(&holder, &slug, true, &origin).await?;
    let actor = visitor.actor(origin);
    Ok(Caller { visitor, actor })
}

fn project_named(headers: &HeaderMap) -> Result<Option<ProjectSlug>, ApiError> {
    let Some(value) = headers.get(PROJECT) else { return Ok(None) };
    let text = str::from_utf8(value.as_bytes())
        .map_err(|_| ApiError::invalid("the header X-Project-Id is not valid UTF-8"))?;
    let slug = text.parse().map_err(|error| ApiError::invalid(format!("X-Project-Id: {error}")))?;
    Ok(Some(slug))
}
