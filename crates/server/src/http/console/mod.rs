//! What the console needs beside the routes of projects: who is signed in, who may be, and which projects there are.

mod members;
mod projects;
mod session;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

/// Its routes, with their description.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(session::get_session))
        .routes(routes!(session::log_out))
        .routes(routes!(session::list_sessions))
        .routes(routes!(session::revoke_session))
        .routes(routes!(members::list_members, members::create_member))
        .routes(routes!(members::link_member))
        .routes(routes!(members::disable_member))
        .routes(routes!(members::enable_member))
        .routes(routes!(projects::list_projects, projects::create_project))
}
