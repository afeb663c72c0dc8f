//! Webhooks: endpoints, the outbox of their events, the delivery log, and what the processes that send need.
//!
//! An event and its deliveries are written in the transaction of their cause (`outbox`), so neither exists without the
//! other. Any process can send them. A queue row per endpoint says when it is due and which process sends; its lock guards
//! the order of the deliveries about one subject.

mod announcements;
mod change;
mod endpoints;
mod log;
mod queue;
mod sending;

use crate::db::ProjectDb;
pub use announcements::{About, AnnouncementStore};
pub use change::WebhookChange;
pub use endpoints::{NewWebhook, WebhookRow};
pub use log::{DeliveryAttempt, DeliveryLog, DeliveryRow, SentEvent};
pub use queue::{DueWebhook, WebhookQueue};
pub use sending::{
    AttemptOutcome, DueDelivery, Failures, FinishedAttempt, RoundOutcome, SendingStore, WebhookTarget,
};

/// The most endpoints of a project.
const MOST_ENDPOINTS: i64 = 10;

/// The endpoints of a project.
#[derive(Debug, Clone, Copy)]
pub struct WebhookStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl<'a> WebhookStore<'a> {
    /// The deliveries of the last days.
    pub const fn log(self) -> DeliveryLog<'a> {
        DeliveryLog { db: self.db }
    }

    /// What a process needs that sends.
    pub const fn sending(self) -> SendingStore<'a> {
        SendingStore { db: self.db }
    }

    /// Events about changes of a state that is computed from time to time.
    pub const fn announcements(self) -> AnnouncementStore<'a> {
        AnnouncementStore { db: self.db }
    }
}
