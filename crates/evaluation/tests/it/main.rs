//! The library as its users see it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod criteria;
mod judge;
mod private;
