//! The doors of Reflect: HTTP, with its limits, its description and its telemetry.
//!
//! Handlers take a request apart, call the engine or the store once, and put the answer together.
//! Nothing is decided here but who may come in, how much at once, and which status says what.

mod app;
mod http;
mod listen;
mod openapi;
pub mod telemetry;
mod wire;

pub use app::{App, Limits, ServerSettings};
pub use http::{CONSOLE, Needs, ROUTES, Route, TOOLS, Tool, service, system_service};
pub use listen::serve;
pub use openapi::description;
