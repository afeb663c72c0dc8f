//! The pages: signing in and out and setting up, which work without scripts, and the console itself.

#[cfg(feature = "console")]
mod embedded;
mod files;
mod form;
mod frame;
mod log_in;
mod log_out;
mod set_up;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;
pub(crate) use files::file_or_page;

/// Not part of the description: they are for people.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/login", get(log_in::page).post(log_in::log_in))
        .route("/setup", get(set_up::page).post(set_up::set_up))
        .route("/logout", get(log_out::page).post(log_out::log_out))
}
