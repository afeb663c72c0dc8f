//! Sends events to addresses that users choose, signed as Standard Webhooks specifies
//! (<https://www.standardwebhooks.com>, version 1).
//!
//! A request goes to the public internet or to networks that the operator allows, follows no redirects, and ends in time. Of
//! the answer, only the status and `Retry-After` are used.

mod client;
#[cfg(test)]
mod fuzz;
mod signature;
mod url;

pub use client::{SendError, WebhookAnswer, WebhookClient, WebhookRequest};
pub use signature::{generate_secret, sign};
pub use url::InvalidWebhookUrl;
