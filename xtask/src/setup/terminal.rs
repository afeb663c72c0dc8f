//! The part `terminal`: a tmux for the run `just terminal-review`.

use std::path::Path;

use anyhow::Result;

use super::{Part, Purpose, system};

const PACKAGE: &str = "tmux";

pub(super) const PART: Part = Part {
    name: "terminal",
    source: PACKAGE,
    folder: "terminal/1",
    key_file: PACKAGE,
    purpose: Purpose::ContinuousIntegration,
    remedy: "install tmux (on Debian, as root: `apt-get install tmux`), so that `tmux` is on the path, then run \
             `cargo xtask setup --ci` again",
    build,
};

fn build(folder: &Path) -> Result<String> {
    system::link(PACKAGE, folder, "-V")
}
