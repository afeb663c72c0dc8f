//! A program that ends with the process that started it, whatever ends that one: also a kill that cannot be caught.
//!
//! Linux tells a process of its parent's end when the process has asked for it. It must ask for itself, and only after it
//! has changed its user, which withdraws the wish. So this binary is started once more, as that user; it asks, and
//! becomes the program. Elsewhere it becomes the program without asking, and the next start stops what a kill left.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::Context;
use clap::Args;

use super::account::Account;

/// The name of the hidden command.
pub(crate) const COMMAND: &str = "run-until-orphaned";

/// Become a program that ends with its parent.
#[derive(Debug, Args)]
pub(crate) struct Keeper {
    /// The process that must be the parent, or it has ended already.
    #[arg(long)]
    parent: i32,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

/// Becomes the program.
pub(crate) fn run(keeper: &Keeper) -> anyhow::Result<()> {
    ask_to_end_with_the_parent()?;
    // It may have ended before we asked.
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    anyhow::ensure!(parent == Some(keeper.parent), "the process that started this one has ended");
    let (program, arguments) = keeper.program.split_first().context("no program")?;
    Err(Command::new(program).args(arguments).exec()).context("cannot run the program")
}

#[cfg(target_os = "linux")]
fn ask_to_end_with_the_parent() -> anyhow::Result<()> {
    // To Postgres an interrupt means: break transactions off, write everything, end. `initdb` removes what it made.
    let signal = rustix::process::Signal::INT;
    rustix::process::set_parent_process_death_signal(Some(signal))
        .context("cannot ask to end with the parent")
}

#[cfg(not(target_os = "linux"))]
fn ask_to_end_with_the_parent() -> anyhow::Result<()> {
    Ok(())
}

/// A command that runs a program as an account until this process ends. It must be started by the main thread: to
/// Linux the parent is the thread. It gets a process group of its own, so that Ctrl-C reaches this process alone, which
/// then ends things in order.
pub(super) fn kept(account: Account, program: OsString, arguments: Vec<OsString>) -> anyhow::Result<Command> {
    // The link leads to this very binary, also where the account could not enter its folder.
    let own = if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
    let mut command = Command::new(own);
    command.arg(COMMAND).arg("--parent").arg(std::process::id().to_string()).arg("--").arg(program);
    command.args(arguments).process_group(0).current_dir("/").env("LC_ALL", "C");
    account.run_as(&mut command);
    Ok(command)
}
