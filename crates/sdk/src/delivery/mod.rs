//! The outbox: queues runs in memory up to a limit and sends them in batches from one task.
//!
//! It writes nothing to disk and does not interpret the bodies of runs.

mod batch_response;
mod counters;
mod outbox;
mod queue;
mod server_status;
mod state;

pub use counters::{DeliveryCounters, Dropped, FlushReport};
pub(crate) use outbox::Outbox;
pub(crate) use queue::QueueLimits;
