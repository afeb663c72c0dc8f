//! The outbox: takes runs over, keeps them in memory within bounds, and sends them in batches from one task.
//!
//! Nothing is written to disk. It knows bodies and ids, and nothing of what runs are.

mod counters;
mod outbox;
mod queue;
mod reading;
mod state;
mod trouble;
mod worker;

pub use counters::{DeliveryCounters, Dropped, FlushReport};
pub(crate) use outbox::Outbox;
pub(crate) use queue::QueueLimits;
