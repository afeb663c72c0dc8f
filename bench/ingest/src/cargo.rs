//! Calling cargo from a program that cargo runs.

use std::process::Command;

/// What cargo tells a program about its own package. Build scripts look at some of it, so that a cargo which
/// is called with it builds half the tree anew, and the next one without it does so again.
const OF_THE_CALLER: [&str; 7] = [
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_LINKS",
    "CARGO_PKG_NAME",
    "CARGO_PKG_VERSION_MAJOR",
    "CARGO_PKG_VERSION_MINOR",
    "CARGO_PKG_VERSION_PATCH",
    "CARGO_PKG_VERSION_PRE",
];

/// Cargo, as it would be called by hand.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for name in OF_THE_CALLER {
        cargo.env_remove(name);
    }
    cargo
}
