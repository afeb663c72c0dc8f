//! Runs the asynchronous work of a command.

use crate::failure::{Failure, Kind};

/// How many tasks a busy thread runs before it looks for data that has arrived. With tokio's 61, a small request among
/// many large ones waited for all of them at each of its steps.
const TASKS_BETWEEN_EVENTS: u32 = 16;

/// Runs a command that calls the server over HTTP, until it is done or Ctrl-C is pressed. One thread is enough, and
/// starts faster than many.
pub(crate) fn run_client(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            done = work => done,
            signalled = tokio::signal::ctrl_c() => {
                signalled?;
                Err(Failure::new(Kind::Interrupted, "interrupted", "interrupted").into())
            }
        }
    })
}

/// Runs a server, or a command that uses the database, on many threads.
pub(crate) fn run_threaded(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .event_interval(TASKS_BETWEEN_EVENTS)
        .build()?;
    runtime.block_on(work)
}
