//! The binary itself, started as an operator would.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod canary;
mod commands;
mod erasing;
mod footprint;
mod process;
mod serving;
