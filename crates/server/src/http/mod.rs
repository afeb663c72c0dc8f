//! The HTTP door: which routes there are, and what every request passes on its way to one.

mod admission;
mod answers;
mod bootstrap;
mod caller;
mod console;
mod cookie;
mod docs;
mod error;
mod events;
mod json;
mod keys;
mod learning;
mod memories;
mod observe;
mod overview;
mod pages;
mod paging;
mod projects;
mod request_id;
mod reviews;
mod routes;
mod same_site;
mod skills;
mod steps;
mod system;
mod traces;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::Uri;
use axum::{Router, middleware};
use tower::Layer;
use tower::util::MapRequestLayer;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::decompression::RequestDecompressionLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
pub(crate) use console::routes as console_routes;
pub(crate) use error::ApiError;
pub(crate) use routes::find as find_route;
pub use routes::{CONSOLE, Needs, ROUTES, Route};

/// Below this, compressing an answer costs more than it saves.
const WORTH_COMPRESSING: u64 = 1024;

/// Everything: the routes of the contract and those about the server itself.
pub fn service(app: Arc<App>) -> Router {
    let (router, _) = api().merge(system_routes()).merge(console::routes()).split_for_parts();
    // The same routes a second time, for people instead of keys; `caller` tells the two apart by their path.
    let (for_people, _) = project_routes().split_for_parts();
    let router = router.nest(CONSOLE, for_people).merge(docs::routes()).merge(pages::routes());
    finish(router.fallback(pages::file_or_page), app)
}

/// The routes about the server itself, for a process that only works in the background.
pub fn system_service(app: Arc<App>) -> Router {
    let (router, _) = system_routes().split_for_parts();
    finish(router.fallback(error::no_such_route), app)
}

/// The routes of the contract, with their description.
pub(crate) fn api() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new().routes(routes!(bootstrap::bootstrap)).merge(project_routes())
}

/// Those that belong to a project.
fn project_routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(projects::get_project, projects::change_project, projects::delete_project))
        .routes(routes!(traces::create_trace, traces::list_traces))
        .routes(routes!(traces::create_traces))
        .routes(routes!(traces::delete_traces))
        .routes(routes!(traces::get_trace))
        .routes(routes!(steps::list_rows))
        .routes(routes!(steps::get_steps))
        .routes(routes!(steps::get_part))
        .routes(routes!(overview::get_overview))
        .routes(routes!(events::get_events))
        .routes(routes!(reviews::review_trace, reviews::withdraw_review))
        .routes(routes!(reviews::retry_trace))
        .routes(routes!(reviews::review_traces))
        .routes(routes!(memories::query_memories))
        .routes(routes!(memories::augment_task))
        .routes(routes!(memories::get_retrieval))
        .routes(routes!(skills::get_skill))
        .routes(routes!(skills::create_skill))
        .routes(routes!(learning::get_uplift))
        .routes(routes!(learning::get_loop_health))
        .routes(routes!(learning::report_client))
        .routes(routes!(keys::create_api_key, keys::list_api_keys))
        .routes(routes!(keys::revoke_api_key))
}

pub(crate) fn system_routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(system::health))
        .routes(routes!(system::ready))
        .routes(routes!(system::metrics))
        .routes(routes!(system::openapi))
}

/// What surrounds every route, from the inside out.
fn finish(router: Router<Arc<App>>, app: Arc<App>) -> Router {
    let router = router
        .route_layer(middleware::from_fn_with_state(app.clone(), caller::authorise))
        .method_not_allowed_fallback(error::no_such_method)
        .layer(DefaultBodyLimit::max(app.settings.limits.body_bytes))
        .layer(RequestDecompressionLayer::new().pass_through_unaccepted(true))
        .layer(middleware::from_fn_with_state(app.clone(), admission::admit))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        .layer(middleware::from_fn(answers::finish))
        .layer(middleware::from_fn(observe::observe))
        .layer(middleware::from_fn(request_id::give))
        .with_state(app.clone());
    let base_path = app.settings.base_path.clone();
    let strip = MapRequestLayer::new(move |request| without_base_path(request, &base_path));
    // Routing happens inside a router's layers, so the path has to change outside of the router.
    Router::new().fallback_service(strip.layer(router))
}

/// A stream of events would be held back until there is enough of it to compress.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(WORTH_COMPRESSING).and(NotForContentType::SSE)
}

/// Serves both kinds of reverse proxy: the one that takes the prefix off and the one that leaves it.
fn without_base_path(mut request: Request, base_path: &str) -> Request {
    let rest = request.uri().path_and_query().map(|path| path.as_str());
    let rest = rest.and_then(|path| path.strip_prefix(base_path)).filter(|_| !base_path.is_empty());
    let uri = match rest {
        Some("") => Some(Uri::from_static("/")),
        Some(rest) if rest.starts_with(['/', '?']) => rest.parse().ok(),
        _ => None,
    };
    if let Some(uri) = uri {
        *request.uri_mut() = uri;
    }
    request
}
