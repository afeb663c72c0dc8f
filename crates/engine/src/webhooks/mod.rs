//! Webhooks: manages endpoints, and sends events to them.
//!
//! The store writes events in the transactions of their causes. Any process sends them: it claims endpoints that are due and
//! sends to each in rounds, so a slow receiver delays only its own deliveries.

mod payload;
mod review_notice;
mod round;
mod sender;
mod service;

pub use sender::WebhookSender;
pub use service::{MadeWebhook, WebhookSpec, Webhooks};

use reflect_webhook_client::WebhookClient;

/// How webhooks are sent.
#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Sends requests.
    pub client: WebhookClient,
    /// The address of the console, for links in events.
    pub console_url: Option<String>,
}
