//! Tests of the public API.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

extern crate tokio_lean as tokio;

mod budgets;
mod builder;
mod cancelling;
mod candidates;
mod credit;
mod errors;
mod events;
mod go_parity;
mod machine;
mod memory_door;
mod order;
mod prompts;
mod resuming;
mod stage;
mod verdicts;
