//! The part `browser`: a Chromium for the console's tests.

use std::path::Path;

use anyhow::Result;

use super::{Part, Purpose, system};

const PACKAGE: &str = "chromium";

pub(super) const PART: Part = Part {
    name: "browser",
    source: PACKAGE,
    folder: "browser/1",
    key_file: PACKAGE,
    purpose: Purpose::ContinuousIntegration,
    remedy: "install Chromium (on Debian, as root: `apt-get install chromium`), so that `chromium` is on the path, \
             then run `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    system::link(PACKAGE, folder, "--version")
}
