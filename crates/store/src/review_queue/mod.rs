//! Runs that wait for a verdict: which there are, who is looking at them, what was put off.
//!
//! A lease says who is looking at a run, so that no two reviewers are given the same one. It forbids nobody to
//! judge it. Which runs come first is not decided here.

mod context;
mod defer;
mod lease;
mod waiting;

pub use context::{LinkedMemory, MemoryStanding, Usual};
pub use defer::{Deferral, NewDeferral};
pub use lease::Lease;
pub use waiting::{Judged, QueueCounts, QueueFilter, Reach, Waiting, WaitingRun};
