//! Webhooks: when a delivery is tried again, when an endpoint is paused or disabled, and which changes are announced.

mod announced;
mod retry;

pub use announced::{AnnouncedHealth, AnnouncedJudge};
pub use retry::{FailedAttempt, disable_reason, pause, retry_after};
