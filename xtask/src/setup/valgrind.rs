//! The part `valgrind`: measures which files run for a request, for `just house`. From the system's package manager.

use super::{Part, Purpose, system};

pub(super) const PART: Part = Part {
    name: "valgrind",
    source: "valgrind",
    folder: "valgrind/1",
    key_file: "valgrind",
    purpose: Purpose::ContinuousIntegration,
    remedy: "install valgrind (on Debian, as root: `apt-get install valgrind`), then run `cargo xtask setup --ci` again",
    build: |folder| system::link(PART.source, folder, "--version"),
};
