//! The programs of this workspace: this one, and those that `cargo build` makes.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// This program, for another command of it.
pub(crate) fn own() -> Result<Command> {
    Ok(Command::new(std::env::current_exe().context("cannot find the path of this program")?))
}

/// The path of a debug build. This program has a profile, and so a folder beside `debug`, of its own.
pub(crate) fn built(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    let target = own.ancestors().nth(2).context("this program is not in a target folder")?;
    let program = target.join("debug").join(name);
    if !program.is_file() {
        bail!("{} does not exist; run `cargo build --workspace --bins --locked`", program.display());
    }
    Ok(program)
}
