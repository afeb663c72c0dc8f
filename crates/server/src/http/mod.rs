//! HTTP: the routes, and the middleware that every request passes.

mod actions;
mod admission;
mod authorise;
mod bootstrap;
mod bulk_reviews;
mod caller;
mod console;
mod cookie;
mod curation;
mod diagnosis;
mod docs;
mod embedding;
mod erasures;
mod events;
mod examples;
mod json;
mod judge;
mod keys;
mod learning;
mod mcp;
mod memories;
mod memory_detail;
mod observe;
mod openapi;
mod overview;
mod pages;
mod paging;
mod projects;
mod request_id;
mod responses;
mod review_queue;
mod reviews;
mod route;
mod routes;
mod same_site;
mod skills;
mod steps;
mod system;
mod trace_list;
mod traces;
mod warnings;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::Uri;
use axum::{Extension, Router, middleware};
use tower::Layer;
use tower::util::MapRequestLayer;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::decompression::RequestDecompressionLayer;

use crate::app::App;
use crate::error;
use crate::http::system::DescriptionText;
pub use mcp::{TOOLS, Tool};
pub use openapi::description;
pub use route::{BodyLimit, CONSOLE, LongPoll, Route, RouteAccess};
pub use routes::ROUTES;

/// Compressing a smaller response costs more than it saves.
const COMPRESSION_THRESHOLD: u64 = 1024;

/// All routes.
pub fn service(app: Arc<App>) -> Router {
    // The project routes exist twice: for keys, and under the console's path for sessions.
    let router = routes::router().nest(CONSOLE, routes::project_router());
    with_middleware(router.fallback(pages::file_or_page), app)
}

/// The routes about the server itself, for a process that only runs background work.
pub fn system_service(app: Arc<App>) -> Router {
    with_middleware(routes::system_router().fallback(error::no_such_route), app)
}

/// Adds what every request passes through. The last layer runs first.
fn with_middleware(router: Router<Arc<App>>, app: Arc<App>) -> Router {
    let base_path = app.settings.base_path.clone();
    let description = DescriptionText::new(move || openapi::description_under(&base_path));
    let router = router
        .route_layer(middleware::from_fn_with_state(app.clone(), authorise::authorise))
        .method_not_allowed_fallback(error::no_such_method)
        .layer(Extension(description))
        .layer(DefaultBodyLimit::max(app.settings.limits.body_bytes))
        .layer(RequestDecompressionLayer::new().pass_through_unaccepted(true))
        .layer(middleware::from_fn_with_state(app.clone(), admission::admit))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        .layer(middleware::from_fn(responses::finish))
        .layer(middleware::from_fn(observe::observe))
        .layer(middleware::from_fn(request_id::assign))
        .layer(middleware::from_fn_with_state(&*routes::TABLE, route::attach))
        .with_state(app.clone());
    let base_path = app.settings.base_path.clone();
    let strip = MapRequestLayer::new(move |request| without_base_path(request, &base_path));
    // A router matches the path before its layers run, so the path must change outside of the router.
    Router::new().fallback_service(strip.layer(router))
}

/// Compression would buffer a stream of events.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(COMPRESSION_THRESHOLD).and(NotForContentType::SSE)
}

/// Removes the base path if it is there. Some reverse proxies remove it, others do not.
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
