//! The HTTP door: which routes there are, and what every request passes on its way to one.

mod actions;
mod admission;
mod answers;
mod bootstrap;
mod bulk_reviews;
mod caller;
mod care;
mod console;
mod cookie;
mod diagnosis;
mod docs;
mod embedding;
mod erasures;
mod error;
mod events;
mod json;
mod judge;
mod keys;
mod learning;
mod mcp;
mod memories;
mod observe;
mod overview;
mod pages;
mod paging;
mod projects;
mod request_id;
mod review_queue;
mod reviews;
mod routes;
mod same_site;
mod skills;
mod steps;
mod stored;
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
pub(crate) use mcp::routes as mcp_routes;
pub use mcp::{TOOLS, Tool};
pub(crate) use routes::find as find_route;
pub use routes::{CONSOLE, Needs, ROUTES, Route};

/// Below this, compressing an answer costs more than it saves.
const WORTH_COMPRESSING: u64 = 1024;

/// Everything: the routes of the contract and those about the server itself.
pub fn service(app: Arc<App>) -> Router {
    let (router, _) =
        api().merge(mcp::routes()).merge(system_routes()).merge(console::routes()).split_for_parts();
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
        .routes(routes!(bulk_reviews::review_in_bulk))
        .routes(routes!(review_queue::get_review_queue))
        .routes(routes!(review_queue::next_reviews))
        .routes(routes!(review_queue::change_leases))
        .routes(routes!(review_queue::defer_trace, review_queue::resume_trace))
        .routes(routes!(memories::query_memories))
        .routes(routes!(memories::augment_task))
        .routes(routes!(memories::get_retrieval))
        .routes(routes!(stored::list_memories, care::write_memory))
        .routes(routes!(care::merge_memories))
        .routes(routes!(care::change_memories))
        .routes(routes!(stored::get_memory, care::edit_memory, care::delete_memory))
        .routes(routes!(care::disable_memory))
        .routes(routes!(care::enable_memory))
        .routes(routes!(care::pin_memory))
        .routes(routes!(care::unpin_memory))
        .routes(routes!(care::quarantine_memory))
        .routes(routes!(care::release_memory))
        .routes(routes!(care::erase_memory))
        .routes(routes!(stored::get_memory_history))
        .routes(routes!(stored::list_memory_uses))
        .routes(routes!(stored::list_memory_neighbours))
        .routes(routes!(actions::list_actions))
        .routes(routes!(actions::get_action))
        .routes(routes!(actions::undo_action))
        .routes(routes!(skills::get_skill))
        .routes(routes!(skills::create_skill))
        .routes(routes!(learning::get_uplift))
        .routes(routes!(learning::get_loop_health))
        .routes(routes!(learning::report_client))
        .routes(routes!(diagnosis::get_diagnosis))
        .routes(routes!(judge::get_judge))
        .routes(routes!(judge::try_judge))
        .routes(routes!(erasures::create_erasure))
        .routes(routes!(erasures::get_erasure))
        .routes(routes!(keys::create_api_key, keys::list_api_keys))
        .routes(routes!(keys::revoke_api_key))
        .routes(routes!(embedding::get_embedding_change, embedding::start_embedding_change))
        .routes(routes!(embedding::compare_embeddings))
        .routes(routes!(embedding::switch_embedding))
        .routes(routes!(embedding::roll_embedding_back))
        .routes(routes!(embedding::finish_embedding_change))
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
