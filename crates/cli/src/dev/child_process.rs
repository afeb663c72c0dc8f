//! A child process that ends with its parent, even if the parent is killed.
//!
//! Linux can signal a process when its parent ends (`PR_SET_PDEATHSIG`). The process must request this itself, after it has
//! changed its user, because that clears the request. So this binary starts itself as that user, makes the request, and
//! then executes the program. On other systems it only executes the program, and the next start stops a leftover.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::Context;
use clap::Args;

use crate::local_server::postgres_account::PostgresAccount;

/// The name of the hidden command.
pub(crate) const COMMAND: &str = "run-until-orphaned";

/// Run a program that ends with its parent process.
#[derive(Debug, Args)]
pub(crate) struct ChildProcess {
    /// The expected id of the parent process.
    #[arg(long)]
    parent: i32,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

/// Replaces this process with the program.
pub(crate) fn run(arguments: &ChildProcess) -> anyhow::Result<()> {
    end_with_parent()?;
    // The parent may have ended before the request.
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    anyhow::ensure!(parent == Some(arguments.parent), "the process that started this one has ended");
    let (program, arguments) = arguments.program.split_first().context("no program is given")?;
    Err(Command::new(program).args(arguments).exec()).context("cannot run the program")
}

#[cfg(target_os = "linux")]
fn end_with_parent() -> anyhow::Result<()> {
    // SIGINT is the fast shutdown of Postgres. `initdb` removes its files.
    let signal = rustix::process::Signal::INT;
    rustix::process::set_parent_process_death_signal(Some(signal))
        .context("cannot request a signal at the end of the parent")
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() -> anyhow::Result<()> {
    Ok(())
}

/// A command that runs a program as the account until this process ends. Start it from the main thread: for Linux the
/// parent is a thread. It gets its own process group: Ctrl-C must reach only this process, which shuts down in order.
pub(super) fn command(
    account: PostgresAccount,
    program: OsString,
    arguments: Vec<OsString>,
) -> anyhow::Result<Command> {
    // The link works even if the account cannot enter the folder of this binary.
    let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let mut command = Command::new(own);
    command.arg(COMMAND).arg("--parent").arg(std::process::id().to_string()).arg("--").arg(program);
    command.args(arguments).process_group(0).current_dir("/").env("LC_ALL", "C");
    account.run_as(&mut command);
    Ok(command)
}
