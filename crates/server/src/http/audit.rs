//! The audit log.

use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use reflect_api::{AuditEntry, ErrorBody};
use reflect_engine::EngineError;
use serde::Deserialize;

use crate::app::App;
use crate::error::ApiError;
use crate::http::caller::Caller;
use crate::http::paging::{PageQuery, page};
use crate::wire;

/// Which log and which page.
#[derive(Debug, Deserialize)]
pub(crate) struct AuditQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    installation: bool,
}

/// List the audit log, newest first: who did what, when and from where, and which requests were denied.
///
/// Entries contain names, ids and numbers, never content. With `installation=true` the list contains the entries that belong
/// to no project: sign-ins, members, master keys, projects, and denied requests without a known caller.
#[utoipa::path(
    get, path = "/v1/projects/{project_id}/audit", tag = "projects",
    params(("project_id" = String, Path),
           ("installation" = Option<bool>, Query,
            description = "The entries of the installation instead. Only for master keys and admins of all projects"),
           ("limit" = Option<u32>, Query, description = "1 to 100. Default: 100"),
           ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "Newest first", body = Vec<AuditEntry>,
               headers(("X-Next-Cursor" = String, description = "The cursor of the next page, if there is one"))),
              (status = "4XX", description = "Refused", body = ErrorBody)))]
pub(crate) async fn list_audit(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Result<Query<AuditQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(AuditQuery { limit, cursor, installation }) = query?;
    let paging = PageQuery { limit, cursor };
    let limit = paging.limit()?;
    if installation && !caller.visitor.is_master {
        let message = "only a master key or an admin of all projects may read the log of the installation";
        return Err(EngineError::Forbidden(message.to_owned()).into());
    }
    let store = &app.engine.store;
    let log = if installation { store.installation() } else { store.project(caller.visitor.project) };
    let mut rows = log.admin().audit_entries(paging.cursor()?, i64::from(limit) + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|row| row.audit_id);
    Ok(page(rows.into_iter().map(wire::audit_entry).collect(), next))
}
