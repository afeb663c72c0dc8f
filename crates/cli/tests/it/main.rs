//! Tests of the binary, started like an operator does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod audit;
mod canary;
mod commands;
mod demo;
mod dev;
mod dev_process;
mod doctor;
mod erasing;
mod footprint;
mod hooks;
mod importing;
mod manners;
mod moving;
mod pooled;
mod process;
mod serving;
mod shell;
mod spooled;
mod using_lessons;
mod using_memories;
mod using_signals;
mod using_traces;
