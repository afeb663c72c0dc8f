//! The part `browser`: a Chromium for the console's tests.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::{Part, Purpose, system};
use crate::process;

/// The browser without the parts that only a window needs. A package of Debian.
const PACKAGE: &str = "chromium-headless-shell";
/// The whole browser, which is used if it is installed already: other systems have no such package.
const WITH_WINDOW: &str = "chromium";

pub(super) const PART: Part = Part {
    name: "browser",
    source: PACKAGE,
    folder: "browser/2",
    key_file: PACKAGE,
    purpose: Purpose::ContinuousIntegration,
    remedy: "install Chromium (on Debian, as root: `apt-get install chromium-headless-shell`), so that \
             `chromium-headless-shell` or `chromium` is on the path, then run `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    if system::on_path(PACKAGE).is_none()
        && let Some(program) = system::on_path(WITH_WINDOW)
    {
        symlink(&program, folder.join(PACKAGE))?;
        return process::output_of(Command::new(program).arg("--version"));
    }
    system::link(PACKAGE, folder, "--version")
}
