//! The part `strace`: records which addresses a process connects to, for `just outbound`. From the system's package
//! manager.

use super::{Part, Purpose, system};

pub(super) const PART: Part = Part {
    name: "strace",
    source: "strace",
    folder: "strace/1",
    key_file: "strace",
    purpose: Purpose::ContinuousIntegration,
    remedy: "install strace (on Debian, as root: `apt-get install strace`), so that `strace` is on the path, then run \
             `cargo xtask setup --ci` again",
    build: |folder| {
        let said = system::link(PART.source, folder, "--version")?;
        Ok(said.lines().next().unwrap_or_default().to_owned())
    },
};
