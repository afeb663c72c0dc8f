//! The HTTP client of the server's outgoing connections: model providers and identity providers.
//!
//! It follows no redirects, so a request goes only to the configured address. It reads no environment variables: a proxy
//! is a setting.

mod client;
mod proxy;

pub use client::{client_builder, innermost};
pub use proxy::{InvalidProxy, OutboundProxy};
