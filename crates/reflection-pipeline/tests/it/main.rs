//! Tests of the public API.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod answers;
mod panel;
mod prompts;
mod python_parity;
