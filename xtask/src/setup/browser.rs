//! The part `browser`: a Chromium for the console's tests, without the parts that only a window needs.

use std::path::Path;

use anyhow::Result;

use super::{Part, Purpose, system};

const PACKAGE: &str = "chromium-headless-shell";

pub(super) const PART: Part = Part {
    name: "browser",
    source: PACKAGE,
    folder: "browser/2",
    key_file: PACKAGE,
    purpose: Purpose::ContinuousIntegration,
    remedy: "install Chromium (on Debian, as root: `apt-get install chromium-headless-shell`), so that \
             `chromium-headless-shell` is on the path, then run `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    system::link(PACKAGE, folder, "--version")
}
