//! Runs the asynchronous work of a command.

use crate::failure::{Failure, Kind};

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
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}
