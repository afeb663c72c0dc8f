//! The HTTP server of Reflect: routes, limits, API description and telemetry.
//!
//! Handlers parse a request, call the engine or the store once, and build the response. This crate decides only about
//! access, limits and status codes.

mod app;
mod caller_use;
mod error;
mod feedback_use;
mod filter;
mod head_timer;
mod http;
mod limits;
mod listen;
mod operation_spans;
mod paced_stream;
pub mod telemetry;
mod tls;
mod wire;

pub use app::{App, ServerSettings};
pub use http::{
    BodyLimit, CONSOLE, LongPoll, ROUTES, Route, RouteAccess, TOOLS, Tool, description, service,
    system_service,
};
pub use limits::{CallerQuota, Limits};
pub use listen::{Listener, serve};
pub use operation_spans::{SpanDestination, SpanQueue};
pub use tls::Tls;
