//! HTTP: the routes, and the middleware that every request passes.

mod actions;
mod admission;
mod audit;
mod authorise;
mod body;
mod body_memory;
mod bootstrap;
mod bulk_reviews;
mod caller;
mod caller_limits;
mod caller_mark;
mod client_address;
mod console;
mod cookie;
mod curation;
mod denials;
mod diagnosis;
mod docs;
mod embedding;
mod erasures;
mod events;
mod examples;
mod feedback;
#[cfg(test)]
mod fuzz;
mod json;
mod judge;
mod keys;
mod learning;
mod lesson_grouping;
mod lesson_questions;
mod lessons;
mod mcp;
mod members;
mod memories;
mod memory_detail;
mod observe;
mod openapi;
mod origin;
mod otlp;
mod overview;
mod pages;
mod paging;
mod path;
mod project_header;
mod projects;
mod request_id;
mod responses;
mod review_queue;
mod reviews;
mod route;
mod routes;
mod same_site;
mod signals;
mod skills;
mod steps;
mod system;
mod trace_context;
mod trace_list;
mod traces;
mod warnings;
mod webhooks;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
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
        // These run only for a route that exists: who calls, their limits, the body, and a slot.
        .route_layer(middleware::from_fn_with_state(app.clone(), admission::admit))
        .route_layer(middleware::from_fn_with_state(app.clone(), body::read))
        .route_layer(RequestDecompressionLayer::new().pass_through_unaccepted(true))
        .route_layer(middleware::from_fn_with_state(app.clone(), caller_limits::limit))
        .route_layer(middleware::from_fn_with_state(app.clone(), authorise::authorise))
        .route_layer(middleware::from_fn_with_state(app.clone(), denials::record))
        .method_not_allowed_fallback(error::no_such_method)
        .layer(Extension(description))
        // `body` limits and reads bodies.
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(CompressionLayer::new().compress_when(worth_compressing()))
        .layer(middleware::from_fn(path::check))
        .layer(middleware::from_fn_with_state(app.clone(), responses::finish))
        .layer(middleware::from_fn_with_state(app.clone(), feedback::allow_origins))
        .layer(middleware::from_fn_with_state(app.clone(), observe::observe))
        .layer(middleware::from_fn_with_state(app.clone(), trace_context::accept))
        .layer(middleware::from_fn(request_id::assign))
        .layer(middleware::from_fn_with_state(&*routes::TABLE, route::attach))
        .with_state(app.clone());
    let normalise = MapRequestLayer::new(move |request| path::normalise(request, &app.settings));
    Router::new().fallback_service(normalise.layer(router))
}

/// Compression would buffer a stream of events.
fn worth_compressing() -> impl Predicate {
    SizeAbove::new(COMPRESSION_THRESHOLD).and(NotForContentType::SSE)
}
