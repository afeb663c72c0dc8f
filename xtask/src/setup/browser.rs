//! The part `browser`: a Chromium for the console's tests.
//!
//! It is the system's own: its package brings what a browser needs of a system. So the folder holds a link to it, which
//! leads nowhere once the package is gone.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{Part, Purpose};
use crate::{process, settings};

const PACKAGE: &str = "chromium";

pub(super) const PART: Part = Part {
    name: "browser",
    source: PACKAGE,
    folder: "browser/1",
    key_file: "chromium",
    purpose: Purpose::ContinuousIntegration,
    remedy: "install Chromium (on Debian, as root: `apt-get install chromium`), so that `chromium` is on the path, \
             then run `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    let program = match on_path() {
        Some(program) => program,
        None => {
            // The lists of a fresh machine may be missing or old.
            process::output_of(Command::new("apt-get").args(["update", "-q"]))?;
            let mut install = Command::new("apt-get");
            install.args(["install", "-q", "-y", "--no-install-recommends", PACKAGE]);
            process::output_of(install.env("DEBIAN_FRONTEND", "noninteractive"))?;
            on_path().context("the package was installed, but `chromium` is not on the path")?
        }
    };
    symlink(&program, folder.join(PART.key_file))?;
    process::output_of(Command::new(program).arg("--version"))
}

fn on_path() -> Option<PathBuf> {
    let path = settings::setting(settings::PROGRAMS)?;
    std::env::split_paths(&path).map(|folder| folder.join(PACKAGE)).find(|program| program.is_file())
}
