//! The HTTP client of the server's outgoing connections: model providers, identity providers and webhooks.
//!
//! It follows no redirects, so a request goes only to the configured address. It reads no environment variables: a proxy
//! is a setting. Where users choose the address, a guard permits only the public internet.

mod address_guard;
mod client;
mod proxy;

pub use address_guard::{AddressGuard, ForbiddenAddress, GuardedResolver};
pub use client::{client_builder, guarded_client_builder, innermost};
pub use proxy::{InvalidProxy, OutboundProxy};
